import { filterArity, isFilterName, type FilterName } from './placeholder-filter.ts'
import { isStorable } from './text.ts'

/** A value in a placeholder: a literal, or a name whose value is read when a push is rendered. */
export type Operand = { is: 'literal'; value: string | number | boolean | null } | { is: 'path'; root: PathRoot; name: string }
export type PathRoot = 'user' | 'tags' | 'subscription' | 'data' | 'campaign'

/** One output tag: `{{ operand | filter: argument, argument | … }}`. */
export type Tag = { operand: Operand; filters: { name: FilterName; args: Operand[] }[] }

/** The fields that a placeholder may name (spec: content/placeholder-names). Below `tags` and `data` any name is allowed. */
export const placeholderFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['user', new Set(['id', 'externalId', 'language', 'timezone', 'country', 'createdAt'])],
  ['subscription', new Set(['id', 'platform', 'appVersion', 'deviceModel', 'browser'])],
  ['campaign', new Set(['id', 'name'])],
])

type Refusal = { ok: false; message: string }
const refuse = (message: string): Refusal => ({ ok: false, message })

/** Reads the tag whose inside begins at `start`. `end` is the position after its `}}`; a `-` beside a brace trims the text on that side. */
export function readTag(
  text: string,
  start: number,
): { ok: true; tag: Tag; end: number; trimBefore: boolean; trimAfter: boolean } | Refusal {
  const close = findClosing(text, start)
  if (close === -1) return refuse('has an unclosed {{')
  const trimBefore = text[start] === '-'
  const trimAfter = close > start + 1 && text[close - 1] === '-'
  const inside = text.slice(trimBefore ? start + 1 : start, trimAfter ? close - 1 : close)
  const tag = parseInside(inside)
  return tag.ok ? { ok: true, tag: tag.tag, end: close + 2, trimBefore, trimAfter } : tag
}

/** Finds the next `}}` outside quotes; -1 when there is none. */
export function findClosing(text: string, from: number): number {
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (quote !== '') {
      if (character === '\\') at++
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '}' && text[at + 1] === '}') return at
  }
  return -1
}

/**
 * Matches one token inside a placeholder: a quoted text, number, name or sign. As in Liquid a name may hold letters of any script and dashes, but not
 * end with a dash, which belongs to the closing `-}}`.
 */
const token =
  /\s*(?:(?<text>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<number>-?\d+(?:\.\d+)?(?![\w.]))|(?<name>[\w[\P{ASCII}--[\s“”]]](?:[\w\-[\P{ASCII}--[\s“”]]]*[\w[\P{ASCII}--[\s“”]]])?)|(?<sign>[\|:,.\[\]]))/vy

type Token = { is: 'text' | 'number' | 'name' | 'sign'; value: string } | { is: 'end'; value: '' }

/** Whether a sign continues a name. As in Liquid, such a sign follows the name without a space. */
const isOfName = (sign: string): boolean => sign === '.' || sign === '['

/** Splits the inside of a placeholder into tokens. Undefined when a part of it is not a token. */
function tokenize(inside: string): Token[] | undefined {
  const tokens: Token[] = []
  const body = inside.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < body.length) {
    const found = token.exec(body)
    const { text, number, name, sign } = found?.groups ?? {}
    if (text !== undefined) tokens.push({ is: 'text', value: unquote(text) })
    else if (number !== undefined) tokens.push({ is: 'number', value: number })
    else if (name !== undefined) tokens.push({ is: 'name', value: name })
    else if (sign === undefined || (isOfName(sign) && found?.[0] !== sign)) return undefined
    else tokens.push({ is: 'sign', value: sign })
  }
  return tokens
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

/**
 * Gives the text inside quotes. The escapes are Liquid's: `\n` and similar letters, `\u00e9`, octal `\101`. Before any other character a backslash is
 * dropped.
 */
const unquote = (quoted: string): string =>
  quoted.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{0,4})|([0-7]{1,3})|([^]))/g, (_, hex?: string, octal?: string, character?: string) => {
    if (character !== undefined) return escapes.get(character) ?? character
    return String.fromCharCode(octal === undefined ? Number(`0x0${hex}`) : Number.parseInt(octal, 8))
  })

/** At most this many filters in one tag. It bounds the cost of a tag: each `url_encode` lengthens what the one before it encoded. */
const mostFilters = 16

const end: Token = { is: 'end', value: '' }

function parseInside(inside: string): { ok: true; tag: Tag } | Refusal {
  const tokens = tokenize(inside)
  if (tokens === undefined)
    return refuse('holds a placeholder that cannot be read; write {{ user.id }} or {{ tags.name | default: "friend" }}')
  let at = 0
  const peek = (): Token => tokens[at] ?? end
  const isSign = (sign: string): boolean => peek().is === 'sign' && peek().value === sign

  const readOperand = (): { ok: true; operand: Operand } | Refusal => {
    const first = peek()
    at++
    if (first.is === 'text') {
      return isStorable(first.value)
        ? { ok: true, operand: { is: 'literal', value: first.value } }
        : refuse('holds a quoted text with a NUL character or half of a surrogate pair')
    }
    if (first.is === 'number') return { ok: true, operand: { is: 'literal', value: Number(first.value) } }
    if (first.is !== 'name') return refuse('holds a placeholder without a name or a value, such as {{ user.id }}')
    if (first.value === 'true' || first.value === 'false') return { ok: true, operand: { is: 'literal', value: first.value === 'true' } }
    if (first.value === 'nil' || first.value === 'null') return { ok: true, operand: { is: 'literal', value: null } }
    const names = [first.value]
    while (isSign('.') || isSign('[')) {
      const bracket = isSign('[')
      at++
      const next = peek()
      if (bracket ? next.is !== 'text' : next.is !== 'name' && next.is !== 'number')
        return refuse('holds a placeholder with an unfinished name')
      names.push(next.value)
      at++
      // The name of a user's tag may hold a colon. In Liquid a colon begins the arguments, so such a name is written `tags["plan:tier"]`.
      if (bracket && !isSign(']')) return refuse('holds a placeholder with an unclosed [')
      if (bracket) at++
    }
    return resolvePath(names)
  }

  const operand = readOperand()
  if (!operand.ok) return operand
  const tag: Tag = { operand: operand.operand, filters: [] }
  while (isSign('|')) {
    at++
    const name = peek().value
    if (peek().is !== 'name') return refuse('holds a placeholder with | but no filter after it')
    if (!isFilterName(name)) return refuse(`holds the unknown filter ${shown(name)}`)
    at++
    const args: Operand[] = []
    while (args.length === 0 ? isSign(':') : isSign(',')) {
      at++
      const arg = readOperand()
      if (!arg.ok) return arg
      args.push(arg.operand)
    }
    const { least, most } = filterArity(name)
    if (args.length < least || args.length > most)
      return refuse(`gives the filter ${name} ${args.length} arguments; it takes ${least === most ? least : `${least} to ${most}`}`)
    tag.filters.push({ name, args })
    if (tag.filters.length > mostFilters) return refuse(`holds a placeholder with more than ${mostFilters} filters`)
  }
  return at >= tokens.length ? { ok: true, tag } : refuse('holds a placeholder with something left over behind its name or filter')
}

/** Finds the value that a name means. Names below `tags` and `data` are joined with dots again: these maps are flat, and their keys may hold dots. */
function resolvePath([root = '', ...rest]: string[]): { ok: true; operand: Operand } | Refusal {
  const written = shown([root, ...rest].join('.'))
  const unknown = refuse(
    `holds the unknown name ${written}; known are user.id, user.tags.<name>, tags.<name>, subscription.platform, data.<key>, campaign.name and their like`,
  )
  if (rest.length === 0) return unknown
  const name = rest.join('.')
  if (root === 'tags' || root === 'data') return { ok: true, operand: { is: 'path', root, name } }
  if (root === 'user' && rest[0] === 'tags') {
    return rest.length > 1 ? { ok: true, operand: { is: 'path', root: 'tags', name: rest.slice(1).join('.') } } : unknown
  }
  if ((root === 'user' || root === 'subscription' || root === 'campaign') && placeholderFields.get(root)?.has(name)) {
    return { ok: true, operand: { is: 'path', root, name } }
  }
  return unknown
}

/** Shortens a name for a message, so that an error repeats little of the content. */
const shown = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name)
