import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js'

type Schema = Record<string, unknown>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gives the object that a `$ref` of the form `#/a/b` leads to in a document, or a value without a `$ref` itself. Throws when it leads to nothing. */
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

type Checks = { ajv: Ajv; bySchema: WeakMap<object, ValidateFunction> }
/** The checks of each document, kept because making a check costs far more than using it. */
const checks = new WeakMap<object, Checks>()

function checkOf(document: object, schema: object): ValidateFunction {
  const { ajv, bySchema } = checks.get(document) ?? checksOf(document)
  const known = bySchema.get(schema)
  if (known) return known
  const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')) as Schema)
  bySchema.set(schema, check)
  return check
}

function checksOf(document: object): Checks {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  // The document's own keys (paths, info …) are made known to Ajv, because in strict mode it refuses unknown keys. They are no rules for a value.
  ajv.addVocabulary([...Object.keys(document), 'example', 'discriminator'])
  ajv.addSchema(document, 'document', undefined, false)
  const made = { ajv, bySchema: new WeakMap() }
  checks.set(document, made)
  return made
}

/**
 * Says why a value does not match a JSON Schema of a document, as `path: reason`; undefined when it matches. Throws for an unknown keyword and for a
 * reference that leads to nothing, so that no rule goes unchecked.
 */
export function whyNotSchema(document: unknown, schema: unknown, value: unknown): string | undefined {
  if (!isObject(schema)) return undefined
  const check = checkOf(isObject(document) ? document : schema, schema)
  if (check(value)) return undefined
  const whys = (check.errors ?? []).map(
    ({ instancePath, message, params }) => `$${instancePath.replaceAll('/', '.')}: ${message} ${JSON.stringify(params)}`,
  )
  return [...new Set(whys)].join('; ')
}

/**
 * Gives the path of the first field of a value that the schema does not name; undefined when it names all. Such a field is allowed, but the document
 * then describes the answer incompletely. The value must match the schema.
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

function firstOf<T>(items: Iterable<T>, why: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = why(item)
    if (found !== undefined) return found
  }
  return undefined
}
