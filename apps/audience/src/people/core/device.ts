import { hash } from 'node:crypto'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'

/** A device as it registers, with the fields of the table. A field is null when the registration does not say it; the stored value then stays. */
export type Device = {
  platform: Platform
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

/** Gives the hash by which a device is found: app, kind and address say which device it is. Phones have a token, browsers an endpoint. */
export const hashAddress = (appId: string, kind: 'token' | 'endpoint', address: string): Buffer =>
  hash('sha256', `${appId} ${kind}:${address}`, 'buffer')

/** Gives what the API shows of a token in answers about users: its last 6 characters, or none when it is not longer (spec: identity/masked-token). */
export const maskToken = (token: string): string => `…${token.length > 6 ? token.slice(-6) : ''}`

/**
 * Gives what the administration shows of an address: the first 8 characters, or none when it is not longer (spec: administration/masked-addresses).
 */
export const maskAddress = (address: string): string => `${address.length > 8 ? address.slice(0, 8) : ''}…`
