type Json = Record<string, unknown>
type Api = { paths?: Record<string, unknown> }

const record = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {})
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * Finds what would break a client of the released document: /v1 changes only by adding (spec: limits/versioning). A request's schemas may only widen.
 * An answer's field may not be removed, change its kind or become optional.
 */
export function breakingChanges(released: Api, current: Api): string[] {
  return Object.entries(released.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(record(methods)).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`
      const now = record(current.paths?.[path])[method]
      if (now === undefined) return [`${where} is gone`]
      return operationChanges(new Comparison(released, current), record(operation), record(now)).map((change) => `${where}: ${change}`)
    }),
  )
}

/** Whether keys with scopes could call the operation. A scope that comes together with the first key takes nothing from anybody. */
const takesKey = ({ security }: Json): boolean =>
  list(security).some((way) => Object.keys(record(way)).some((name) => name.endsWith('Key')))

function operationChanges(compare: Comparison, was: Json, is: Json): string[] {
  const changes = [
    ...(was['operationId'] === is['operationId'] ? [] : [`operationId was ${String(was['operationId'])}`]),
    ...(takesKey(was)
      ? ['x-required-scope', 'x-also-required-scope']
          .filter((name) => was[name] !== is[name])
          .map((name) => `the scope was ${String(was[name])}`)
      : []),
    ...list(was['security'])
      .filter((scheme) => !list(is['security']).some((other) => JSON.stringify(other) === JSON.stringify(scheme)))
      .map((scheme) => `${Object.keys(record(scheme)).join()} is no longer taken`),
  ]
  return [...changes, ...parameterChanges(compare, was, is), ...bodyChanges(compare, was, is), ...responseChanges(compare, was, is)]
}

function parameterChanges(compare: Comparison, was: Json, is: Json): string[] {
  const byName = (operation: Json, of: (value: unknown) => Json) =>
    new Map(
      list(operation['parameters']).map((parameter) => [`${String(of(parameter)['in'])} ${String(of(parameter)['name'])}`, of(parameter)]),
    )
  const before = byName(was, compare.then)
  const after = byName(is, compare.now)
  return [
    ...[...after]
      .filter(([name, { required }]) => required === true && before.get(name)?.['required'] !== true)
      .map(([name]) => `${name} is required now`),
    ...[...before].flatMap(([name, parameter]) => {
      const other = after.get(name)
      return other ? compare.request(parameter['schema'], other['schema'], name) : [`${name} is gone`]
    }),
  ]
}

function bodyChanges(compare: Comparison, was: Json, is: Json): string[] {
  const [before, after] = [record(was['requestBody']), record(is['requestBody'])]
  const required = after['required'] === true && before['required'] !== true ? ['a body is required now'] : []
  const [then, now] = [schemaOf(before), schemaOf(after)]
  return then === undefined || now === undefined ? required : [...required, ...compare.request(then, now, 'body')]
}

function responseChanges(compare: Comparison, was: Json, is: Json): string[] {
  return Object.entries(record(was['responses'])).flatMap(([status, response]) => {
    const now = record(is['responses'])[status]
    if (now === undefined) return [`the answer ${status} is gone`]
    const [before, after] = [compare.then(response), compare.now(now)]
    const codes = Object.keys(record(contentOf(before)['examples'])).filter((code) => !(code in record(contentOf(after)['examples'])))
    return [
      ...codes.map((code) => `the code ${code} of ${status} is gone`),
      ...Object.keys(record(before['headers']))
        .filter((name) => !(name in record(after['headers'])))
        .map((name) => `the header ${name} of ${status} is gone`),
      ...compare.answer(schemaOf(before), schemaOf(after), status),
    ]
  })
}

const contentOf = (holder: Json): Json => record(record(holder['content'])['application/json'])
const schemaOf = (holder: Json): unknown => contentOf(holder)['schema']

const upperLimits = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const lowerLimits = ['minimum', 'minLength', 'minItems', 'exclusiveMinimum']
const fixed = ['const', 'format', 'pattern']

/** Compares schemas. Two schemas that are referred to by name are compared only once, so that a schema which refers to itself comes to an end. */
class Comparison {
  readonly #released: Api
  readonly #current: Api
  readonly #seen = new Set<string>()

  constructor(released: Api, current: Api) {
    this.#released = released
    this.#current = current
  }

  readonly then = (value: unknown): Json => resolved(this.#released, value)
  readonly now = (value: unknown): Json => resolved(this.#current, value)

  request(was: unknown, is: unknown, path: string): string[] {
    return this.#once('request', was, is, () => {
      const [then, now] = [this.then(was), this.now(is)]
      // A form that was the only one may become the first of several.
      const [only] = list(then['anyOf'] ?? then['oneOf']).length === 0 ? list(now['anyOf'] ?? now['oneOf']) : []
      if (only !== undefined) return this.request(was, only, path)
      const wereKnown = record(then['properties'])
      const closed = now['additionalProperties'] === false
      return [
        ...typeChanges(list(then['enum']), list(now['enum']), kindsOf(then), kindsOf(now), path),
        ...upperLimits
          .filter((limit) => now[limit] !== undefined && Number(now[limit]) < Number(then[limit] ?? Infinity))
          .map((limit) => `${path}: ${limit} is lower`),
        ...lowerLimits
          .filter((limit) => now[limit] !== undefined && Number(now[limit]) > Number(then[limit] ?? -Infinity))
          .map((limit) => `${path}: ${limit} is higher`),
        ...fixed.filter((key) => now[key] !== undefined && now[key] !== then[key]).map((key) => `${path}: ${key} is another`),
        ...list(now['required'])
          .filter((name) => !list(then['required']).includes(name))
          .map((name) => `${path}.${String(name)} is required now`),
        ...Object.keys(wereKnown)
          .filter((name) => closed && !(name in record(now['properties'])))
          .map((name) => `${path}.${name} is not taken any more`),
        ...this.#inside(then, now, path, (one, other, at) => this.request(one, other, at)),
      ]
    })
  }

  answer(was: unknown, is: unknown, path: string): string[] {
    if (was === undefined) return []
    return this.#once('answer', was, is, () => {
      const [then, now] = [this.then(was), this.now(is)]
      return [
        ...typeChanges([], [], kindsOf(now), kindsOf(then), path),
        ...list(then['required'])
          .filter((name) => !list(now['required']).includes(name))
          .map((name) => `${path}.${String(name)} may be absent now`),
        ...Object.keys(record(then['properties']))
          .filter((name) => !(name in record(now['properties'])))
          .map((name) => `${path}.${name} is gone`),
        ...this.#inside(then, now, path, (one, other, at) => this.answer(one, other, at)),
      ]
    })
  }

  /** Compares what is inside two schemas. The forms of a union are compared in their order, so a new form must be added at the end. */
  #inside(then: Json, now: Json, path: string, compare: (was: unknown, is: unknown, path: string) => string[]): string[] {
    const shared = Object.entries(record(then['properties'])).filter(([name]) => name in record(now['properties']))
    const forms = (schema: Json) => list(schema['anyOf'] ?? schema['oneOf'])
    const after = forms(now)
    return [
      ...shared.flatMap(([name, property]) => compare(property, record(now['properties'])[name], `${path}.${name}`)),
      ...['items', 'additionalProperties']
        .filter((key) => typeof then[key] === 'object' && typeof now[key] === 'object')
        .flatMap((key) => compare(then[key], now[key], `${path}.*`)),
      ...(after.length < forms(then).length
        ? [`${path}: has fewer forms`]
        : forms(then).flatMap((form, place) => compare(form, after[place], `${path}(${place})`))),
    ]
  }

  #once(kind: string, was: unknown, is: unknown, compare: () => string[]): string[] {
    const [one, other] = [record(was)['$ref'], record(is)['$ref']]
    if (one === undefined && other === undefined) return compare()
    const pair = `${kind} ${String(one)} ${String(other)}`
    if (this.#seen.has(pair)) return []
    this.#seen.add(pair)
    return compare()
  }
}

const kindsOf = (schema: Json): unknown[] =>
  Array.isArray(schema['type']) ? schema['type'] : schema['type'] === undefined ? [] : [schema['type']]

/** Says which values and types were possible and no longer are. An empty list of new values or types allows anything. */
function typeChanges(values: unknown[], newValues: unknown[], types: unknown[], newTypes: unknown[], path: string): string[] {
  const isNumber = (type: unknown) => type === 'integer' && newTypes.includes('number')
  const missing = newTypes.length === 0 ? [] : types.filter((type) => !newTypes.includes(type) && !isNumber(type))
  const narrowed = newTypes.length > 0 && types.length === 0 ? ['anything'] : missing
  return [
    ...narrowed.map((type) => `${path}: ${String(type)} no longer fits`),
    ...(newValues.length === 0 ? [] : values.length === 0 ? ['a free text'] : values.filter((value) => !newValues.includes(value))).map(
      (value) => `${path}: ${JSON.stringify(value)} is no longer among the values`,
    ),
  ]
}

function resolved(document: Api, value: unknown): Json {
  let place = record(value)
  while (typeof place['$ref'] === 'string') {
    place = record(
      place['$ref']
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((at, name) => record(at)[name], document),
    )
  }
  return place
}
