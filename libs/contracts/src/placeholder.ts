import { findClosing, readTag, type Operand, type Tag } from './placeholder-syntax.ts'
import { applyFilter, encodeUpTo } from './placeholder-filter.ts'
import { firstCodePoints, type TagValue } from './text.ts'
import type { Value } from './placeholder-date.ts'

/**
 * The values that placeholders may read when a push is rendered. A missing field renders as nothing. Properties that every object inherits cannot be
 * read.
 */
export type PlaceholderValues = {
  user?: Readonly<Record<string, string | null>>
  tags?: Readonly<Record<string, TagValue>>
  subscription?: Readonly<Record<string, string | null>>
  data?: Readonly<Record<string, string>>
  campaign?: { readonly id: string; readonly name: string }
  /** The zone in which the filter `date` shows times: the user's, or the app's when the user has none. UTC when it is missing. */
  timezone?: string | null
  /** The moment that `now` and `today` mean in the filter `date`. */
  now?: Date
}

export type Part = string | Tag
/** A parsed text. When the text is not a template: what is wrong, and where in the text. */
export type Template = { ok: true; parts: Part[] } | { ok: false; message: string; from: number; to: number }

/**
 * Splits a text into plain pieces and Liquid output tags (spec: content/placeholder-syntax). The message of a refusal follows the field's path, as in
 * `content.en.title` `has an unclosed {{`.
 */
export function parseTemplate(text: string): Template {
  const parts: Part[] = []
  let at = 0
  let trimNext = false
  while (at < text.length) {
    const open = findOpening(text, at)
    const plain = trimNext ? text.slice(at, open).trimStart() : text.slice(at, open)
    trimNext = false
    if (open === text.length) {
      parts.push(plain)
      break
    }
    if (text[open + 1] === '%')
      return refuseAt(text, open, 'holds a logic tag {% … %}; only output tags such as {{ user.id }} are understood')
    const tag = readTag(text, open + 2)
    if (!tag.ok) return refuseAt(text, open, tag.message)
    parts.push(tag.trimBefore ? plain.trimEnd() : plain, tag.tag)
    trimNext = tag.trimAfter
    at = tag.end
  }
  return { ok: true, parts: parts.filter((part) => part !== '') }
}

/** Makes a refusal that points at its placeholder: up to the placeholder's end, or to the end of the line when the placeholder is unclosed. */
function refuseAt(text: string, open: number, message: string): Template {
  const close = text[open + 1] === '%' ? text.indexOf('%}', open + 2) : findClosing(text, open + 2)
  const line = text.indexOf('\n', open)
  return { ok: false, message, from: open, to: close !== -1 ? close + 2 : line === -1 ? text.length : line }
}

/** Finds the next `{{` or `{%`; the end of the text when there is none. */
function findOpening(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at !== -1; at = text.indexOf('{', at + 1)) {
    if (text[at + 1] === '{' || text[at + 1] === '%') return at
  }
  return text.length
}

/** Says why a text is not a template; undefined when it is one. */
export function whyNotTemplate(text: string): string | undefined {
  const template = parseTemplate(text)
  return template.ok ? undefined : template.message
}

/** Gives what is left of a template when every placeholder renders as nothing. A text that is not a template is given back unchanged. */
export function textWithoutTags(text: string): string {
  const template = parseTemplate(text)
  return template.ok ? template.parts.filter((part) => typeof part === 'string').join('') : text
}

/** Fills a template in for one push. `onEmpty` is called for each placeholder that renders as nothing. */
export type Renderer = (values: PlaceholderValues, onEmpty?: () => void) => string

/** How many characters filled-in text may have that nobody bounds closer. */
const usualLimit = 2048

/**
 * Makes the function that fills a template in. Values are text, never templates. In a `link` they are percent-encoded, unless the tag is the whole
 * field or ends with `url_encode`. Values and results are bounded by `limit` (spec: content/cost).
 */
export function compile(text: string, as: 'text' | 'link' = 'text', limit = usualLimit): Renderer {
  const template = text.includes('{{') ? parseTemplate(text) : { ok: false as const }
  if (!template.ok) return () => text
  const encode = as === 'link' && template.parts.length > 1
  const pieces = template.parts.map((part) => (typeof part === 'string' ? part : compileTag(part, encode, limit + 1)))
  // A text of more than this many UTF-16 units has more than `limit` characters, whatever they are.
  const enough = 2 * limit
  return (values, onEmpty) => {
    let rendered = ''
    for (const piece of pieces) {
      const filled = typeof piece === 'string' ? piece : piece(values)
      if (filled === '') onEmpty?.()
      rendered += filled
      if (rendered.length > enough) break
    }
    return rendered
  }
}

function compileTag(tag: Tag, encode: boolean, most: number): (values: PlaceholderValues) => string {
  const read = compileOperand(tag.operand, most)
  const steps = tag.filters.map(({ name, args }) => ({ name, args: args.map((arg) => compileOperand(arg, most)) }))
  const encodesItself = tag.filters.at(-1)?.name === 'url_encode'
  return (values) => {
    let value = read(values)
    if (steps.length > 0) {
      const context = { timeZone: values.timezone ?? 'UTC', now: values.now, most }
      for (const step of steps) {
        const args = step.args.map((arg) => arg(values))
        value = cut(applyFilter(step.name, value, args, context), most)
      }
    }
    const text = toText(value)
    return encode && !encodesItself ? encodeUpTo(text, most) : text
  }
}

const cut = (value: Value, most: number): Value => (typeof value === 'string' && value.length > most ? firstCodePoints(value, most) : value)

const toText = (value: Value): string => (value === null || value === undefined ? '' : String(value))

function compileOperand(operand: Operand, most: number): (values: PlaceholderValues) => Value {
  if (operand.is === 'literal') return () => operand.value
  const { root, name } = operand
  return (values) => cut(ownValue(values[root], name), most)
}

/**
 * Counts what filling a text in may cost (spec: content/cost): for each tag, and for each filter, as many characters as the field may have, whatever
 * the values are.
 */
export function costOf(text: string, limit: number): number {
  const template = text.includes('{{') ? parseTemplate(text) : { ok: false as const }
  if (!template.ok) return 0
  return template.parts.reduce((cost, part) => (typeof part === 'string' ? cost : cost + (1 + part.filters.length) * limit), 0)
}

function ownValue(record: object | undefined, name: string): Value {
  if (record === undefined || !Object.hasOwn(record, name)) return undefined
  const value: unknown = Reflect.get(record, name)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null ? value : undefined
}

export type NamesUsed = { user: string[]; tags: string[]; subscription: string[] }

/**
 * Lists the fields of the user, the user's tags and the fields of the device that placeholders in these texts read, each once. Audience gives the
 * dispatcher only these values for the placeholders.
 */
export function namesUsedIn(texts: Iterable<string>): NamesUsed {
  const used = { user: new Set<string>(), tags: new Set<string>(), subscription: new Set<string>() }
  const note = (operand: Operand) => {
    if (operand.is === 'path' && operand.root !== 'data' && operand.root !== 'campaign') used[operand.root].add(operand.name)
  }
  for (const text of texts) {
    const template = text.includes('{{') ? parseTemplate(text) : { ok: false as const }
    if (!template.ok) continue
    for (const part of template.parts) {
      if (typeof part === 'string') continue
      note(part.operand)
      for (const filter of part.filters) filter.args.forEach(note)
    }
  }
  return { user: [...used.user].toSorted(), tags: [...used.tags].toSorted(), subscription: [...used.subscription].toSorted() }
}
