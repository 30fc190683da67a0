import { hash } from 'node:crypto'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'

/**
 * A device as its registration describes it, with the fields of the table. `keys`: null for a phone. Any other field that is null was not named in
 * the registration; the stored value then stays.
 */
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
  const token = canonicalToken(subscription.platform, subscription.token)
  return {
    ...common,
    address: token,
    addressHash: hashAddress(appId, 'token', token),
    keys: null,
    browser: null,
    standalone: null,
  }
}

/**
 * Gives a token as it is stored. Apple gives a token as bytes, which apps write as hexadecimal digits in either letter case (zulip#35074), so these
 * are stored in small letters (spec: identity/token-case).
 */
export const canonicalToken = (platform: Platform, token: string): string =>
  platform === 'ios' && hexadecimal.test(token) ? token.toLowerCase() : token
const hexadecimal = /^[0-9a-fA-F]+$/

/** Gives the hash by which a device is found: of its app, the kind of its address (phones have a token, browsers an endpoint) and its address. */
export const hashAddress = (appId: string, kind: 'token' | 'endpoint', address: string): Buffer =>
  hash('sha256', `${appId} ${kind}:${address}`, 'buffer')

/**
 * Masks a token for the API's answers about users: shows its last 6 characters, and no character of a token that has at most 6
 * (spec: identity/masked-token).
 */
export const maskToken = (token: string): string => `…${token.length > 6 ? token.slice(-6) : ''}`

/**
 * Masks an address for the administration: shows its first 8 characters, and no character of an address that has at most 8
 * (spec: administration/masked-addresses).
 */
export const maskAddress = (address: string): string => `${address.length > 8 ? address.slice(0, 8) : ''}…`
