import { countCodePoints } from '@herald/contracts/text'

type Schema = Record<string, unknown>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a `$ref` of the form `#/a/b` leads to in a document; anything else is answered as it is. Throws for a dead reference. */
export function resolve(document: unknown, value: unknown): Schema {
  let place = value
  while (isObject(place) && typeof place['$ref'] === 'string') {
    const reference: string = place['$ref']
    place = reference
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((at, name) => (isObject(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined), document)
    if (place === undefined) throw new Error(`the document has nothing at ${reference}`)
  }
  return isObject(place) ? place : {}
}

/** Says nothing about a value: notes for people. */
const notes = new Set(['description', 'default', 'format', 'title', 'example', 'examples', 'deprecated', 'discriminator'])

/**
 * Why a value does not match a JSON Schema, as `path: reason`, or undefined when it does. Knows what our document uses, and throws for
 * a keyword that it does not know, so that no promise goes unchecked.
 */
export function whyNotSchema(document: unknown, schema: unknown, value: unknown, path = '$'): string | undefined {
  if (isObject(schema) && typeof schema['$ref'] === 'string') return whyNotSchema(document, resolve(document, schema), value, path)
  for (const [keyword, rule] of Object.entries(isObject(schema) ? schema : {})) {
    const why = notes.has(keyword) ? undefined : whyNotKeyword(document, schema as Schema, keyword, rule, value, path)
    if (why !== undefined) return why
  }
  return undefined
}

function whyNotKeyword(
  document: unknown,
  schema: Schema,
  keyword: string,
  rule: unknown,
  value: unknown,
  path: string,
): string | undefined {
  const unless = (isRight: boolean) => (isRight ? undefined : `${path}: ${keyword} ${JSON.stringify(rule)?.slice(0, 200)}`)
  const below = (child: unknown, inner: unknown, step: string | number) => whyNotSchema(document, child, inner, `${path}.${step}`)
  const length = typeof value === 'string' ? countCodePoints(value) : 0
  switch (keyword) {
    case 'type':
      return unless((Array.isArray(rule) ? rule : [rule]).some((type) => hasType(value, type)))
    case 'const':
      return unless(JSON.stringify(value) === JSON.stringify(rule))
    case 'enum':
      return unless(Array.isArray(rule) && rule.includes(value))
    case 'pattern':
      return unless(typeof value !== 'string' || new RegExp(String(rule), 'u').test(value))
    case 'minLength':
      return unless(typeof value !== 'string' || length >= Number(rule))
    case 'maxLength':
      return unless(typeof value !== 'string' || length <= Number(rule))
    case 'minimum':
      return unless(typeof value !== 'number' || value >= Number(rule))
    case 'maximum':
      return unless(typeof value !== 'number' || value <= Number(rule))
    case 'exclusiveMinimum':
      return unless(typeof value !== 'number' || value > Number(rule))
    case 'minItems':
      return unless(!Array.isArray(value) || value.length >= Number(rule))
    case 'maxItems':
      return unless(!Array.isArray(value) || value.length <= Number(rule))
    case 'maxProperties':
      return unless(!isObject(value) || Object.keys(value).length <= Number(rule))
    case 'items':
      return Array.isArray(value)
        ? firstOf(
            value.map((item, index) => [index, item] as const),
            ([index, item]) => below(rule, item, index),
          )
        : undefined
    case 'required':
      return isObject(value) && Array.isArray(rule)
        ? firstOf(rule, (name) => (Object.hasOwn(value, String(name)) ? undefined : `${path}: ${String(name)} is missing`))
        : undefined
    case 'properties':
      return isObject(value) && isObject(rule)
        ? firstOf(Object.keys(rule), (name) => (Object.hasOwn(value, name) ? below(rule[name], value[name], name) : undefined))
        : undefined
    case 'propertyNames':
      return isObject(value) ? firstOf(Object.keys(value), (name) => below(rule, name, name)) : undefined
    case 'additionalProperties': {
      const known = isObject(schema['properties']) ? schema['properties'] : {}
      const others = isObject(value) ? Object.entries(value).filter(([name]) => !Object.hasOwn(known, name)) : []
      return firstOf(others, ([name, item]) => (rule === false ? `${path}: ${name} is not known` : below(rule, item, name)))
    }
    case 'anyOf':
    case 'oneOf': {
      const whys = (Array.isArray(rule) ? rule : []).map((branch) => whyNotSchema(document, branch, value, path))
      return whys.includes(undefined) ? undefined : `${path}: none of ${whys.length} forms (${whys.join('; ')})`
    }
    default:
      throw new Error(`JSON Schema keyword ${keyword} at ${path} is not known to this checker`)
  }
}

/**
 * The first field of a value that its schema does not name, as a path, or undefined. A schema lets it pass, since answers may get more fields; but
 * whoever makes the answers has then forgotten to say so. The value matches the schema.
 */
export function unnamedField(document: unknown, schema: unknown, value: unknown, path = '$'): string | undefined {
  const it = resolve(document, schema)
  const forms = it['anyOf'] ?? it['oneOf']
  if (Array.isArray(forms)) {
    const found = forms
      .filter((form) => whyNotSchema(document, form, value) === undefined)
      .map((form) => unnamedField(document, form, value, path))
    return found.includes(undefined) ? undefined : found[0]
  }
  if (Array.isArray(value))
    return firstOf(
      value.map((item, index) => [index, item] as const),
      ([index, item]) => unnamedField(document, it['items'], item, `${path}.${index}`),
    )
  const named = it['properties']
  if (!isObject(value) || !(isObject(named) || isObject(it['additionalProperties']))) return undefined
  return firstOf(Object.entries(value), ([name, item]) => {
    if (isObject(named) && Object.hasOwn(named, name)) return unnamedField(document, named[name], item, `${path}.${name}`)
    if (it['additionalProperties'] === undefined) return `${path}.${name}`
    return unnamedField(document, it['additionalProperties'], item, `${path}.${name}`)
  })
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

function firstOf<T>(items: Iterable<T>, why: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = why(item)
    if (found !== undefined) return found
  }
  return undefined
}
