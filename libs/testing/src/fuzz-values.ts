import { resolve } from './json-schema.ts'

/** Makes random choices. The same seed gives the same choices, so that a failure can be repeated. */
export type Random = {
  /** Gives a whole number from 0 to `below` - 1. */
  upTo(below: number): number
  /** Gives true in this share of cases, 0 to 1. */
  chance(share: number): boolean
  pick<T>(items: readonly [T, ...T[]]): T
}

/** Makes random choices by mulberry32, whose 32 bits of state are enough to choose test cases. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const upTo = (below: number) => Math.floor(next() * below)
  return { upTo, chance: (share) => next() < share, pick: (items) => items[upTo(items.length)] ?? items[0] }
}

/** Texts that have broken some program before. */
export const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\r\nSet-Cookie: a=b',
  '\u202eabc\u200b',
  '\ufeff',
  '𝕏'.repeat(300),
  'x'.repeat(5_000),
  'null',
  'undefined',
  '[object Object]',
  'NaN',
  '-1',
  '1e309',
  '0x10',
  '__proto__',
  'constructor',
  'toString',
  '$where',
  "' or 1=1 --",
  '"; drop table users; --',
  '%',
  '%00',
  '%s%n',
  '_',
  '../../etc/passwd',
  '..',
  '//evil.example',
  'javascript:alert(1)',
  '{{user.name',
  '{{ user.externalId | nothing }}',
  '{% include "x" %}',
  '${7*7}',
  '<script>alert(1)</script>',
  '2026-02-30T25:61:61Z',
  '0000-00-00T00:00:00Z',
  '+999999-01-01T00:00:00Z',
  '-99999w',
  'Etc/GMT+99',
  'en-',
  'x-default',
  '٣',
  'ﷺ'.repeat(50),
  'e\u0301'.repeat(100),
  '👩‍👩‍👧‍👦',
] as const satisfies readonly [string, ...string[]]

const hostileValues: readonly [unknown, ...unknown[]] = [
  ...hostileTexts,
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e308,
  2 ** 53,
  2 ** 31,
  [],
  [[]],
  [null],
  {},
  { '': '' },
  { a: { b: {} } },
  { toString: 'x' },
  { length: -1 },
  { $gt: '' },
  { and: [] },
  { not: {} },
  { field: 'tags.a', op: 'eq', value: { $ne: 1 } },
]

export const hostileValue = (random: Random): unknown =>
  random.chance(0.02) ? nested(random.pick([20, 70, 500])) : structuredClone(random.pick(hostileValues))

function nested(depth: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { and: [value] } : { not: value }
  return value
}

/**
 * Makes a value about as a JSON Schema describes it: types, constants and required fields are right; most patterns and lengths are ignored, and a
 * number may be one beyond its bounds. `ids` gives the ids to use.
 */
export function valueOf(document: unknown, schema: unknown, random: Random, ids: () => string, depth = 0): unknown {
  const it = resolve(document, schema)
  const inner = (child: unknown) => valueOf(document, child, random, ids, depth + 1)
  const forms = it['anyOf'] ?? it['oneOf']
  if (Array.isArray(forms)) return inner(depth > 8 ? forms[0] : forms[random.upTo(forms.length)])
  if ('const' in it) return it['const']
  if (Array.isArray(it['enum'])) return it['enum'][random.upTo(it['enum'].length)]
  switch (Array.isArray(it['type']) ? it['type'][random.upTo(it['type'].length)] : it['type']) {
    case 'string':
      return textOf(it, random, ids)
    case 'boolean':
      return random.chance(0.5)
    case 'integer':
      return numberOf(it, random)
    case 'number':
      return random.chance(0.5) ? numberOf(it, random) : Math.min(0.5, Number(it['maximum'] ?? 1))
    case 'null':
      return null
    case 'array':
      return Array.from({ length: Math.max(Number(it['minItems'] ?? 0), random.upTo(4)) }, () => inner(it['items']))
    case 'object':
      return objectOf(it, random, inner, depth)
    default:
      return random.pick(['gold', 5, true, '-7d', ['a', 'b']])
  }
}

function objectOf(schema: Record<string, unknown>, random: Random, inner: (child: unknown) => unknown, depth: number): unknown {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = Object.entries(schema['properties'] ?? {})
    .filter(([name]) => required.includes(name) || random.chance(depth > 4 ? 0.1 : 0.4))
    .map(([name, child]) => [name, inner(child)])
  const others = schema['additionalProperties']
  const more = typeof others === 'object' && others !== null ? [[random.pick(['en', 'de', 'plan', 'order']), inner(others)]] : []
  return Object.fromEntries([...fields, ...more])
}

function textOf(schema: Record<string, unknown>, random: Random, ids: () => string): string {
  if (schema['format'] === 'date-time')
    return random.pick(['2026-01-31T08:00:00Z', '2030-02-28T23:59:59.999+02:00', '1999-12-31T23:59:59Z'])
  if (schema['format'] === 'uri') return `https://push.example.org/${random.upTo(1_000)}`
  if (schema['pattern'] === '^[0-9a-f]{24}$') return ids()
  const word = random.pick([
    'en',
    'DE',
    'gold',
    'tags.plan',
    'lastActiveAt',
    'Europe/Berlin',
    '10:30',
    '1.2.3',
    'customer',
    'Hello {{ tags.name }}',
  ])
  return random.chance(0.3) ? `${word}-${random.upTo(500)}` : word
}

function numberOf(schema: Record<string, unknown>, random: Random): number {
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0)
  const most = Number(schema['maximum'] ?? least + 100)
  return random.pick([least, most, Math.floor((least + most) / 2), least - 1, most + 1])
}

/**
 * Gives the value with one change: a part becomes a hostile value or a copy of another, is left out, wrapped or repeated under a hostile name, or (a
 * list) gets many copies of its first item.
 */
export function mutated(value: unknown, random: Random): unknown {
  const root = { value: structuredClone(value) }
  const places = placesOf(root)
  const { holder, key } = places[random.upTo(places.length)] ?? { holder: root, key: 'value' }
  const here: unknown = Reflect.get(holder, key)
  const kind = random.upTo(8)
  if (kind <= 2) Reflect.set(holder, key, hostileValue(random))
  else if (kind === 3) Reflect.deleteProperty(holder, key)
  else if (kind === 4) Reflect.set(holder, key, random.chance(0.5) ? [here] : { value: here })
  else if (kind === 5)
    Object.defineProperty(holder, random.pick(hostileTexts), { value: here, enumerable: true, configurable: true, writable: true })
  else if (kind === 6 && Array.isArray(here))
    Reflect.set(
      holder,
      key,
      Array.from({ length: random.pick([60, 1_001]) }, () => here[0]),
    )
  else {
    const other = places[random.upTo(places.length)]
    Reflect.set(holder, key, other ? structuredClone(Reflect.get(other.holder, other.key)) : null)
  }
  return root.value
}

function placesOf(root: object): { holder: object; key: string }[] {
  const places: { holder: object; key: string }[] = []
  const left: object[] = [root]
  for (let holder = left.pop(); holder !== undefined && places.length < 500; holder = left.pop()) {
    for (const [key, child] of Object.entries(holder)) {
      places.push({ holder, key })
      if (typeof child === 'object' && child !== null) left.push(child)
    }
  }
  return places
}
