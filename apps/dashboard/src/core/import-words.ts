import type { ImportField } from '@herald/contracts/import'

/** What a column may hold, in the order in which an operator looks for it. */
export const importFields: Readonly<Record<ImportField, string>> = {
  platform: 'Platform: ios, android or web',
  token: 'Push token of an app',
  endpoint: 'Web push endpoint',
  p256dh: 'Web push key p256dh',
  auth: 'Web push key auth',
  externalId: 'External id of the user',
  tags: 'Tags, as a JSON object',
  language: 'Language',
  timezone: 'Time zone',
  country: 'Country',
  appVersion: 'App version',
  sdkVersion: 'SDK version',
  osVersion: 'OS version',
  deviceModel: 'Device model',
  browser: 'Browser',
  standalone: 'Installed as an app (web)',
  optedIn: 'Opted in',
  sessionCount: 'Number of sessions',
  createdAt: 'First seen',
  lastActiveAt: 'Last active',
  preferences: 'Chosen categories, as a JSON object',
}

/** Says for each code why rows are rejected. */
export const wordsOfRejection: Readonly<Record<string, string>> = {
  bad_quotes: 'quotes that do not close',
  invalid_utf8: 'not UTF-8',
  row_too_large: 'longer than 1 MiB',
  wrong_column_count: 'more or fewer fields than the header',
  invalid_json: 'not a JSON object',
  invalid_field: 'invalid value',
  device_limit: 'the user has 100 devices already',
  unsupported_device_type: 'a kind of device that Herald does not send to',
  web_skipped: 'browsers, which this import skips',
  ios_fcm_token: 'Firebase tokens of iOS apps, not APNs tokens: these devices register through the SDK',
}

const warnings: Readonly<Record<string, string>> = {
  timezone_without_name: 'only the seconds from UTC: imported without a time zone',
  no_external_id: 'no external id: the user is anonymous',
}

/** Says what a warning counts; for a warning about a column, which column's values were left out. */
export const wordsOfWarning = (code: string): string => {
  const [kind = '', column] = code.split(/:(.*)/s, 2)
  return kind === 'left_out' && column !== undefined
    ? `a value of “${column}” was left out, the device is imported`
    : (warnings[code] ?? '')
}
