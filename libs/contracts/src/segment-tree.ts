import type { Platform } from './platform.ts'
import type { TagValue } from './text.ts'

/** The fields of a device that a segment can test, and their types (spec: segments/device-fields). */
export const deviceFields = {
  platform: 'platform',
  browser: 'string',
  standalone: 'boolean',
  appVersion: 'version',
  sdkVersion: 'version',
  osVersion: 'version',
  deviceModel: 'string',
  sessionCount: 'number',
  lastSessionAt: 'date',
  createdAt: 'date',
  lastActiveAt: 'date',
  lastNotifiedAt: 'date',
} as const

/**
 * The fields of a user that a segment can test. The user's createdAt and lastActiveAt are written `user.createdAt` and `user.lastActiveAt`; without
 * the prefix they are the device's.
 */
export const userFields = {
  userId: 'id',
  externalId: 'string',
  language: 'language',
  timezone: 'zone',
  country: 'country',
  createdAt: 'date',
  lastActiveAt: 'date',
} as const

export type DeviceFieldName = keyof typeof deviceFields
export type UserFieldName = keyof typeof userFields
export type FieldType = (typeof deviceFields)[DeviceFieldName] | (typeof userFields)[UserFieldName] | 'tag'

/** The field of a leaf. For `on: 'tag'` the name is the name of the tag. */
export type SegmentField =
  | { on: 'device'; name: DeviceFieldName; type: FieldType }
  | { on: 'user'; name: UserFieldName; type: FieldType }
  | { on: 'tag'; name: string; type: 'tag' }

/** A date relative to now, in seconds; negative seconds lie in the past. All pages of a fan-out use the same instant for now. */
export type RelativeDate = { relativeSeconds: number }

export type SegmentScalar = string | number | boolean | Date | RelativeDate

/**
 * One comparison of a segment. `path` is the leaf's place in the segment (`segment.and.1`), for explain and for errors. `eq null` is read
 * as `exists: false`, and `ne null` as `exists: true`.
 */
export type SegmentLeaf = { is: 'leaf'; path: string; field: SegmentField } & (
  | { op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; value: SegmentScalar }
  | { op: 'in' | 'nin'; values: SegmentScalar[] }
  | { op: 'contains' | 'startsWith'; value: string }
  | { op: 'exists'; value: boolean }
)

export type SegmentNode = SegmentLeaf | { is: 'and' | 'or'; nodes: SegmentNode[] } | { is: 'not'; node: SegmentNode }

/** A segment that has been parsed. */
export type Segment = { is: 'everyone' } | SegmentNode

export type SegmentDevice = {
  platform: Platform
  browser: string | null
  standalone: boolean | null
  appVersion: string | null
  sdkVersion: string | null
  osVersion: string | null
  deviceModel: string | null
  sessionCount: number
  lastSessionAt: Date | null
  createdAt: Date
  lastActiveAt: Date | null
  lastNotifiedAt: Date | null
}

export type SegmentUser = {
  userId: string
  externalId: string | null
  language: string | null
  timezone: string | null
  country: string | null
  createdAt: Date
  lastActiveAt: Date | null
  tags: Readonly<Record<string, TagValue>>
}
