import type { Decided, Recipient } from '@herald/contracts/batch'
import type { NamesUsed } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import type { Tags } from '@herald/contracts/text'
import { whySkipped } from './eligibility.ts'

/** One place of a batch as it is now: who was queued, and the device with its user, if it is still there. */
export type QueuedDevice = {
  /** Of the batch that it was queued in: the ledger's name of the push. */
  place: number
  subscriptionId: string
  queuedFor: string
  device: DeviceDetails | null
}

export type DeviceDetails = {
  userId: string
  platform: Platform
  address: string
  p256dh: string | null
  auth: string | null
  tokenVersion: number
  environment: 'production' | 'sandbox' | null
  optedIn: boolean
  invalidated: boolean
  appVersion: string | null
  deviceModel: string | null
  browser: string | null
  language: string | null
  timezone: string | null
  externalId: string | null
  country: string | null
  userCreatedAt: Date
  /** Only the tags that the content names. */
  tags: Tags | null
}

/** A push to make, or its end when there is none to make. Only what the content names of the person and device goes along. */
export function toRecipient({ place, subscriptionId, queuedFor, device }: QueuedDevice, names: NamesUsed): Recipient | Decided {
  const code = whySkipped(queuedFor, device)
  if (!device || code) {
    return {
      place,
      subscriptionId,
      userId: queuedFor,
      tokenVersion: device?.tokenVersion ?? 0,
      attempts: 0,
      outcome: 'skipped',
      code: code ?? 'deleted',
    }
  }
  return {
    place,
    subscriptionId,
    userId: device.userId,
    address: device.address,
    keys: device.p256dh !== null && device.auth !== null ? { p256dh: device.p256dh, auth: device.auth } : null,
    tokenVersion: device.tokenVersion,
    environment: device.environment,
    language: device.language,
    timezone: device.timezone,
    user: pick(names.user, {
      id: device.userId,
      externalId: device.externalId,
      language: device.language,
      timezone: device.timezone,
      country: device.country,
      createdAt: device.userCreatedAt.toISOString(),
    }),
    tags: device.tags ?? {},
    subscription: pick(names.subscription, {
      id: subscriptionId,
      platform: device.platform,
      appVersion: device.appVersion,
      deviceModel: device.deviceModel,
      browser: device.browser,
    }),
  }
}

export const isDecided = (push: Recipient | Decided): push is Decided => 'outcome' in push

function pick(names: readonly string[], values: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
}

/** A part of a batch's answer holds about this much; the rest is asked for again (architecture.md, path 4). */
const partBytes = 256_000
/** Ids, names of fields and marks of one recipient as JSON. */
const fixedBytes = 300

/** How many of these fit in one part, by a cheap estimate of their JSON; at least one. */
export function countFitting(pushes: readonly (Recipient | Decided)[]): number {
  let bytes = 0
  for (const [index, push] of pushes.entries()) {
    bytes += fixedBytes
    if (!isDecided(push)) {
      bytes += push.address.length
      if (push.keys) bytes += 128
      for (const values of [push.user, push.tags, push.subscription]) {
        for (const [name, value] of Object.entries(values)) bytes += name.length + String(value).length + 6
      }
    }
    if (bytes > partBytes && index > 0) return index
  }
  return pushes.length
}
