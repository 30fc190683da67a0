import type { SegmentOperator } from '@herald/contracts/segment'
import { deviceFields, userFields, type FieldType } from '@herald/contracts/segment-tree'

type DeviceField = keyof typeof deviceFields
type UserField = keyof typeof userFields

/** The name of a field on the page, and a hint about its values. */
export type FieldText = { label: string; hint: string }

/** The texts of the device fields, under the names that the contracts give them. A field without a text does not compile. */
const deviceTexts: Record<DeviceField, FieldText> = {
  platform: { label: 'Platform', hint: 'iOS, Android or web' },
  browser: { label: 'Browser', hint: 'as the page reported it, such as chrome or firefox' },
  standalone: { label: 'Installed web app', hint: 'the page was opened from the home screen' },
  appVersion: { label: 'App version', hint: 'such as 10.2; 10.2 is above 9.9' },
  sdkVersion: { label: 'SDK version', hint: 'such as 1.4' },
  osVersion: { label: 'OS version', hint: 'such as 17.4' },
  deviceModel: { label: 'Device model', hint: 'such as iPhone15,2' },
  sessionCount: { label: 'Number of sessions', hint: 'sessions this device has begun' },
  lastSessionAt: { label: 'Last session', hint: 'when the device began its last session' },
  createdAt: { label: 'Device registered', hint: 'when the device registered first' },
  lastActiveAt: { label: 'Device last active', hint: 'when the device was last seen' },
  lastNotifiedAt: { label: 'Last push sent', hint: 'when a provider last accepted a push for the device' },
}

const userTexts: Record<UserField, FieldText> = {
  userId: { label: 'User id', hint: 'the id that Herald gave, 24 characters' },
  externalId: { label: 'External id', hint: 'the id of the person in your own system' },
  language: { label: 'Language', hint: 'such as de or pt-BR' },
  timezone: { label: 'Time zone', hint: 'such as Europe/Vienna' },
  country: { label: 'Country', hint: 'two letters, such as AT' },
  createdAt: { label: 'User created', hint: 'when the user was first seen' },
  lastActiveAt: { label: 'User last active', hint: 'when any device of the user was last seen' },
}

/** These user fields are written with the prefix `user.`, because the name alone means the device's field. */
const prefixed = new Set<string>(['createdAt', 'lastActiveAt'])

/** A field under the name that segments use, with its type and texts. */
export type Field = FieldText & { name: string; on: 'device' | 'user'; type: FieldType }

/** All fields that the contracts know, without tags. */
export const fields: readonly Field[] = [
  ...Object.entries(deviceFields).map(([name, type]) => ({ name, on: 'device' as const, type, ...deviceTexts[name as DeviceField] })),
  ...Object.entries(userFields).map(([name, type]) => ({
    name: prefixed.has(name) ? `user.${name}` : name,
    on: 'user' as const,
    type,
    ...userTexts[name as UserField],
  })),
]

const byName = new Map(fields.map((field) => [field.name, field]))

/** Gives the type of a field by its name; undefined for a name that the contracts do not know. */
export const typeOf = (name: string): FieldType | undefined => (name.startsWith('tags.') ? 'tag' : byName.get(name)?.type)

export const hintOf = (name: string): string | undefined => byName.get(name)?.hint

/** Gives the name of a field on the page. A tag has its own name, and an unknown field is shown as it is written. */
export const labelOf = (name: string): string => (name.startsWith('tags.') ? name.slice(5) : (byName.get(name)?.label ?? name))

const words: Record<SegmentOperator, string> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  exists: 'exists',
  contains: 'contains',
  startsWith: 'begins with',
}

const wordsForDates: Partial<Record<SegmentOperator, string>> = {
  eq: 'is exactly',
  ne: 'is not exactly',
  gt: 'is after',
  gte: 'is at or after',
  lt: 'is before',
  lte: 'is at or before',
}

/** Before "14 days ago". */
const wordsForAgo: Partial<Record<SegmentOperator, string>> = {
  gt: 'is less than',
  gte: 'is at most',
  lt: 'is more than',
  lte: 'is at least',
}

/** Gives the words for an operator. `isAgo`: a time before the send follows, such as "14 days ago". */
export const wordOf = (op: string, type: FieldType | undefined, isAgo = false): string =>
  (isAgo ? wordsForAgo[op as SegmentOperator] : undefined) ??
  (type === 'date' ? wordsForDates[op as SegmentOperator] : undefined) ??
  words[op as SegmentOperator] ??
  op
