import type { Herald } from '@herald/node'
import { listAll } from './list-all.ts'

/** A segment, a template or a webhook endpoint, with the fields that a file may hold. A field that is absent has its default. */
export type Entry = Record<string, unknown>
/** What a file says of an app, and what Herald has. A section that is absent is not looked at. */
export type State = Partial<Record<SectionName, Entry[]>> & { settings?: Entry }
export type SectionName = 'categories' | 'segments' | 'templates' | 'webhooks'
/** An entry that Herald has. */
export type Kept = { id: string; entry: Entry }

export type Section = {
  name: SectionName
  /** The field that says which entry of Herald an entry of the file is. */
  key: 'id' | 'name' | 'url'
  /** The fields in the order in which `herald pull` writes them. */
  fields: readonly string[]
  /** What the absence of a field means. A field that is not listed is then null for Herald. */
  defaults: Entry
  /** Whether Herald takes two entries with the same key. */
  mayRepeat: boolean
  /** Gives the entry of an item that Herald lists. */
  read: (item: Record<string, unknown>) => Entry
}

/** The lists of a file, in the order in which they are applied: templates name categories. */
export const sections: readonly Section[] = [
  {
    name: 'categories',
    key: 'id',
    fields: ['id', 'name', 'description', 'default', 'locked', 'presentation'],
    defaults: { locked: false },
    mayRepeat: false,
    read: (item) => item,
  },
  {
    name: 'segments',
    key: 'name',
    fields: ['name', 'description', 'definition'],
    defaults: {},
    mayRepeat: false,
    read: (item) => item,
  },
  {
    name: 'templates',
    key: 'name',
    fields: [
      'name',
      'description',
      'content',
      'silent',
      'data',
      'ttl',
      'collapseId',
      'priority',
      'presentation',
      'overrides',
      'category',
      'sendRate',
    ],
    defaults: {},
    mayRepeat: false,
    read: (item) => item,
  },
  {
    name: 'webhooks',
    key: 'url',
    fields: ['url', 'description', 'eventTypes', 'enabled'],
    defaults: { eventTypes: ['*'], enabled: true },
    mayRepeat: true,
    // An endpoint that Herald switched off after failures is still wanted: that is its state, and not how it was set up.
    read: (item) => ({ ...item, enabled: item['enabled'] === true || item['disabledReason'] !== 'manual' }),
  },
]
/** The settings that a file keeps. The hold-out is not among them: since when it holds belongs to the app. */
export const settingFields = [
  'defaultTimezone',
  'frequencyCap',
  'quietHours',
  'identityVerification',
  'attribution',
  'conversions',
  'approval',
  'mostPictures',
  'inboxDays',
] as const

/** Reads from Herald what it has of the given sections, each in the order of its keys, and the settings. */
export async function readKept(
  herald: Herald,
  appPath: string,
  names: readonly SectionName[],
): Promise<{ app: string; settings: Entry; kept: Map<SectionName, Kept[]> }> {
  const { name: app, settings } = await herald.request<{ name: string; settings: Entry }>('GET', appPath)
  const kept = new Map<SectionName, Kept[]>()
  for (const section of sections) {
    if (!names.includes(section.name)) continue
    const items = await listAll<Record<string, unknown> & { id: string }>(herald, `${appPath}/${section.name}`)
    const entries = items.map((item) => ({ id: item.id, entry: plain(section, section.read(item)) }))
    kept.set(
      section.name,
      entries.toSorted((a, b) => compare(keyOf(section, a.entry), keyOf(section, b.entry)) || compare(a.id, b.id)),
    )
  }
  return { app, settings, kept }
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const keyOf = ({ key }: Section, entry: Entry): string => String(entry[key])

/** Gives an entry with its known fields alone, in their order, without those that are null or have their default. Keys inside of a field are sorted. */
export function plain({ fields, defaults }: Section, entry: Entry): Entry {
  const said = fields.filter((field) => {
    const value = entry[field]
    return value !== null && value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[field])
  })
  return Object.fromEntries(said.map((field) => [field, sorted(entry[field])]))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => compare(a, b))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
