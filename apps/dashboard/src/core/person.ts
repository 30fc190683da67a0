import type { PlaceholderValues } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import type { TagValue } from '@herald/contracts/text'

/** The user for whom a preview is filled in: a made-up user, a user of the app, or `nobody`. */
export type Person = {
  name: string
  language: string | null
  timezone: string | null
  user: Readonly<Record<string, string | null>>
  tags: Readonly<Record<string, TagValue>>
}

type UserRead = {
  id: string
  externalId?: string | null | undefined
  language: string | null
  timezone: string | null
  country: string | null
  createdAt: string
  tags: Readonly<Record<string, TagValue>>
}

const tagsInUse = (tags: readonly { name: string; type: string; values: readonly string[] }[]): Record<string, TagValue> =>
  Object.fromEntries(tags.flatMap(({ name, type, values: [first] }) => (first === undefined ? [] : [[name, valueOf(type, first)]])))

const valueOf = (type: string, value: string): TagValue =>
  type === 'number' ? Number(value) : type === 'boolean' ? value === 'true' : value

/** Gives a made-up user with every field of a user, and with each of `tags` that has a known value. */
export const samplePerson = (tags: readonly { name: string; type: string; values: readonly string[] }[], now: Date): Person => ({
  name: 'Sample user',
  language: null,
  timezone: null,
  user: {
    id: '000000000000000000000001',
    externalId: 'customer-1',
    language: 'en',
    timezone: 'UTC',
    country: 'GB',
    createdAt: now.toISOString(),
  },
  tags: tagsInUse(tags),
})

/** A user without any value, not even an id. A preview for this user shows what the filter `default` does. */
export const nobody: Person = { name: 'User without data', language: null, timezone: null, user: {}, tags: {} }

/** Gives a user of the app as a preview needs it. */
export const personOf = ({ id, externalId = null, language, timezone, country, createdAt, tags }: UserRead): Person => ({
  name: externalId ?? id,
  language,
  timezone,
  user: { id, externalId, language, timezone, country, createdAt },
  tags,
})

/** Gives the values that the placeholders of a push read, for a device of this platform. */
export const valuesOf = (
  { user, tags, timezone }: Person,
  {
    platform,
    data,
    campaign,
    zone,
    now,
  }: { platform: Platform; data: Record<string, string>; campaign: { id: string; name: string }; zone: string; now: Date },
): PlaceholderValues => ({
  user,
  tags,
  subscription: { id: '000000000000000000000002', platform },
  data,
  campaign,
  timezone: timezone ?? zone,
  now,
})
