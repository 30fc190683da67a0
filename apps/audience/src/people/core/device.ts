import { hash } from 'node:crypto'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'

/** A device as it registered, in the terms of the table. Null: the caller said nothing, what is known stays. */
export type Device = {
  platform: Platform
  /** Device token or endpoint address. */
  address: string
  addressHash: Buffer
  keys: { p256dh: string; auth: string } | null
  appVersion: string | null
  sdkVersion: string | null
  osVersion: string | null
  deviceModel: string | null
  browser: string | null
  standalone: boolean | null
}

export function toDevice(appId: string, subscription: RegisterSubscription): Device {
  const common = {
    platform: subscription.platform,
    appVersion: subscription.appVersion ?? null,
    sdkVersion: subscription.sdkVersion ?? null,
    osVersion: subscription.osVersion ?? null,
    deviceModel: subscription.deviceModel ?? null,
  }
  if (subscription.platform === 'web') {
    return {
      ...common,
      address: subscription.endpoint,
      addressHash: hashAddress(appId, 'endpoint', subscription.endpoint),
      keys: subscription.keys,
      browser: subscription.browser ?? null,
      standalone: subscription.standalone ?? null,
    }
  }
  return {
    ...common,
    address: subscription.token,
    addressHash: hashAddress(appId, 'token', subscription.token),
    keys: null,
    browser: null,
    standalone: null,
  }
}

/** What makes a device one: within its app, mobile by token and web by endpoint. */
export const hashAddress = (appId: string, kind: 'token' | 'endpoint', address: string): Buffer =>
  hash('sha256', `${appId} ${kind}:${address}`, 'buffer')
