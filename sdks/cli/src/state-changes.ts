import {
  compare,
  keyOf,
  plain,
  sections,
  settingFields,
  type Entry,
  type Kept,
  type Section,
  type SectionName,
  type State,
} from './app-state.ts'

/** A value that differs. `from` is what Herald has, `to` what the file says; undefined: it is absent there. */
export type Difference = { path: string; from?: unknown; to?: unknown }
/** One thing for `herald apply` to do. */
export type Change = { kind: 'add' | 'change' | 'delete'; key: string; differences: Difference[] } & (
  | { section: 'settings'; settings: Entry }
  | { section: SectionName; id: string | undefined; entry: Entry; place: number | undefined }
)

/**
 * Compares a file with Herald. Gives what is to be done, deletions last, and how many entries of Herald the file does not name and that stay, because
 * `prune` is not asked for.
 */
export function changesBetween(
  wanted: State,
  { settings, kept }: { settings: Entry; kept: Map<SectionName, Kept[]> },
  prune: boolean,
): { changes: Change[]; left: { section: SectionName; key: string }[] } {
  const changes: Change[] = []
  const deletions: Change[] = []
  const left: { section: SectionName; key: string }[] = []
  const differing = settingFields.flatMap((field) =>
    wanted.settings?.[field] === undefined
      ? []
      : differencesOf(comparable(field, settings[field]), comparable(field, wanted.settings[field]), field),
  )
  if (differing.length > 0) {
    const fields = new Set(differing.map(({ path }) => path.split('.')[0] ?? ''))
    const changed = Object.fromEntries([...fields].map((field) => [field, wanted.settings?.[field]]))
    changes.push({ section: 'settings', kind: 'change', key: 'settings', differences: differing, settings: changed })
  }
  for (const section of sections) {
    const entries = wanted[section.name]
    if (entries === undefined) continue
    const { name } = section
    const open = [...(kept.get(name) ?? [])]
    for (const [place, given] of entries.entries()) {
      const entry = plain(section, given)
      const key = keyOf(section, entry)
      // Several endpoints may have one URL: each entry of the file takes the next of them, first of all one that is equal already.
      const same = open.filter((each) => keyOf(section, each.entry) === key)
      const found = same.find((each) => differencesOfEntries(each.entry, entry).length === 0) ?? same[0]
      if (found) open.splice(open.indexOf(found), 1)
      const differences = differencesOfEntries(found?.entry ?? {}, entry)
      if (!found) changes.push({ section: name, kind: 'add', key, differences, id: undefined, entry, place })
      else if (differences.length > 0) changes.push({ section: name, kind: 'change', key, differences, id: found.id, entry, place })
    }
    for (const { id, entry } of open) {
      const key = keyOf(section, entry)
      if (prune) deletions.push({ section: name, kind: 'delete', key, differences: [], id, entry, place: undefined })
      else left.push({ section: name, key })
    }
  }
  return { changes: [...changes, ...deletions], left }
}

function differencesOfEntries(from: Entry, to: Entry): Difference[] {
  const fields = [...new Set([...Object.keys(to), ...Object.keys(from)])]
  return fields.flatMap((field) => differencesOf(comparable(field, from[field]), comparable(field, to[field]), field))
}

/**
 * Gives a field in the form in which two equal ones look equal. Herald writes locales in their usual form, knows time zones in any letter case, and an
 * endpoint's types of events have no order.
 */
function comparable(field: string, value: unknown): unknown {
  if (field === 'defaultTimezone' && typeof value === 'string') return value.toLowerCase()
  if (field === 'eventTypes' && Array.isArray(value)) return value.map(String).toSorted(compare)
  if (field !== 'content' || !isTree(value)) return value
  // Herald answers content with its locales beside `_default`, also when it was given with the locales under one key.
  const map = isTree(value['locales']) ? { _default: value['default'], ...value['locales'] } : value
  return Object.fromEntries(
    Object.entries(map).map(([locale, entry]: [string, unknown]) =>
      locale === '_default' ? [locale, typeof entry === 'string' ? usualLocale(entry) : entry] : [usualLocale(locale), entry],
    ),
  )
}

function usualLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? locale
  } catch {
    return locale
  }
}

function differencesOf(from: unknown, to: unknown, path: string): Difference[] {
  if (isTree(from) && isTree(to)) {
    const keys = [...new Set([...Object.keys(to), ...Object.keys(from)])]
    return keys.flatMap((key) => differencesOf(valueAt(from, key), valueAt(to, key), `${path}.${key}`))
  }
  const isSame = from === to || (isTree(from) === isTree(to) && JSON.stringify(from) === JSON.stringify(to))
  return isSame ? [] : [{ path, from, to }]
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const valueAt = (tree: Record<string, unknown>, key: string): unknown => (Object.hasOwn(tree, key) ? tree[key] : undefined)

/** Gives the request that carries out a change. */
export function requestOf(change: Change, appPath: string): { method: string; path: string; body?: Entry } {
  if (change.section === 'settings') return { method: 'PATCH', path: appPath, body: { settings: change.settings } }
  const path = `${appPath}/${change.section}`
  if (change.kind === 'delete') return { method: 'DELETE', path: `${path}/${change.id}` }
  if (change.section !== 'webhooks') {
    if (change.kind === 'add') return { method: 'POST', path, body: change.entry }
    // The id of a category is in the path, and does not change.
    const { id: _id, ...body } = change.entry
    return { method: 'PUT', path: `${path}/${change.id}`, body }
  }
  const { enabled: _enabled, ...made } = change.entry
  if (change.kind === 'add') return { method: 'POST', path, body: made }
  const fields = new Set(change.differences.map((difference) => difference.path.split('.')[0] ?? ''))
  const webhooks = sections.find(({ name }) => name === 'webhooks') as Section
  return {
    method: 'PATCH',
    path: `${path}/${change.id}`,
    body: Object.fromEntries([...fields].map((field) => [field, change.entry[field] ?? webhooks.defaults[field] ?? null])),
  }
}
