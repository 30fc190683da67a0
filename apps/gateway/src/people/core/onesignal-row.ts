import type { ImportField } from '@herald/contracts/import'
import { fieldAt, readCount, readTags, readTruth, withZone } from './import-values.ts'

/**
 * The numbers that OneSignal gives to the platforms to which Herald can send: iOS, Android, and Chrome, Firefox and Safari with Web Push. To its
 * other platforms OneSignal sends in ways that Herald does not have.
 */
const platforms = new Map([
  ['0', 'ios'],
  ['1', 'android'],
  ['5', 'web'],
  ['8', 'web'],
  ['17', 'web'],
])

const columnOfField: Partial<Record<ImportField, string>> = {
  platform: 'device_type',
  token: 'identifier',
  endpoint: 'identifier',
  p256dh: 'web_p256',
  auth: 'web_auth',
  tags: 'tags',
  language: 'language',
  timezone: 'timezone_id',
  country: 'country',
  appVersion: 'game_version',
  osVersion: 'device_os',
  deviceModel: 'device_model',
  sessionCount: 'session_count',
  createdAt: 'created_at',
  lastActiveAt: 'last_active',
}

/** Gives the columns of the fields that audience may refuse. Newer exports have `external_id`, older exports `external_user_id`. */
export const oneSignalNames = (columns: ReadonlyMap<string, unknown>): ReadonlyMap<ImportField, string> =>
  new Map([
    ['externalId', columns.has('external_user_id') ? 'external_user_id' : 'external_id'],
    ['tags', 'tags'],
  ])

/**
 * Reads a row of OneSignal's export of subscriptions (spec: administration/import-onesignal). `read` gives a column's text, empty when there is none.
 * IP address, coordinates, advertising id and spending are not read. `wrong` says why Herald cannot send to the device.
 */
export function readOneSignalRow(
  read: (column: string) => string,
): { device: Record<string, unknown>; columnOf: (path: string) => string | null; warnings: string[] } | { wrong: string } {
  const platform = platforms.get(read('device_type').trim())
  if (platform === undefined) return { wrong: 'must be 0 (iOS), 1 (Android), 5, 8 or 17 (browsers)' }
  const nameColumn = read('external_user_id') === '' ? 'external_id' : 'external_user_id'
  const identifier = read('identifier')
  const [tags, sessions, createdAt, lastActiveAt] = [read('tags'), read('session_count'), read('created_at'), read('last_active')]
  const said = {
    externalId: read(nameColumn),
    language: read('language'),
    timezone: read('timezone_id'),
    country: read('country'),
    appVersion: read('game_version'),
    osVersion: read('device_os'),
    deviceModel: read('device_model'),
  }
  return {
    device: {
      platform,
      ...(identifier === '' ? {} : platform === 'web' ? { endpoint: identifier } : { token: identifier }),
      ...(platform === 'web' && { keys: { p256dh: base64Url(read('web_p256')), auth: base64Url(read('web_auth')) } }),
      ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== '')),
      ...(tags === '' ? {} : { tags: readTags(tags) }),
      ...(sessions === '' ? {} : { sessionCount: readCount(sessions) }),
      ...(createdAt === '' ? {} : { createdAt: withZone(createdAt) }),
      ...(lastActiveAt === '' ? {} : { lastActiveAt: withZone(lastActiveAt) }),
      optedIn: !isOptedOut(read('invalid_identifier'), read('notification_types')),
    },
    columnOf: (path) => {
      const field = fieldAt(path)
      if (field === undefined) return null
      return field === 'externalId' ? nameColumn : (columnOfField[field] ?? null)
    },
    warnings: [
      // Without a zone's name the export has only the seconds from UTC, which dozens of zones share.
      ...(said.timezone === '' && read('timezone') !== '' ? ['timezone_without_name'] : []),
      ...(said.externalId === '' ? ['no_external_id'] : []),
    ],
  }
}

/**
 * Whether a device of the export is imported as opted out: OneSignal calls its identifier invalid, or its `notification_types` is below 1, because it
 * unsubscribed or never allowed notifications.
 */
const isOptedOut = (invalidIdentifier: string, notificationTypes: string): boolean =>
  readTruth(invalidIdentifier) === true || /^(?:0|-\d+)$/.test(notificationTypes.trim())

const base64Url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')
