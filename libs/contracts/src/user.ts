import { z } from 'zod'
import { platforms } from './platform.ts'
import { Id } from './text.ts'

const Time = z.iso.datetime()
const nullable = z.string().nullable()

/** A device, as it is shown with its user (spec: identity/device-fields, identity/masked-token). Only the last 6 characters of a token are shown. */
export const Subscription = z.object({
  id: Id,
  platform: z.enum(platforms),
  /** The masked token; mobile devices only. */
  token: z.string().optional(),
  /** The endpoint; browsers only. */
  endpoint: z.string().optional(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }).optional(),
  optedIn: z.boolean(),
  appVersion: nullable,
  sdkVersion: nullable,
  osVersion: nullable,
  deviceModel: nullable,
  browser: nullable,
  standalone: z.boolean().nullable(),
  sessionCount: z.number().int(),
  lastSessionAt: Time.nullable(),
  createdAt: Time,
  lastActiveAt: Time,
  lastNotifiedAt: Time.nullable(),
  invalidatedAt: Time.nullable(),
})
export type Subscription = z.infer<typeof Subscription>

/** A user as GET /v1/users/:id answers it (spec: identity/user-fields). */
export const User = z.object({
  id: Id,
  externalId: z.string().optional(),
  tags: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  language: nullable,
  timezone: nullable,
  country: nullable,
  createdAt: Time,
  lastActiveAt: Time,
  subscriptions: z.array(Subscription),
})
export type User = z.infer<typeof User>

/** The address of a user in a call: an id or an external id. */
export const UserAddress = z.union([z.object({ userId: Id }), z.object({ externalId: z.string().min(1).max(128) })])
export type UserAddress = z.infer<typeof UserAddress>
