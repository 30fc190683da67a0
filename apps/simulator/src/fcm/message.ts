/** What is wrong with a field of a request, in the form of `google.rpc.BadRequest`. */
export type Violation = { field: string; description: string }

type Check = (value: unknown, path: string) => Violation | undefined

const maxPayloadBytes = 4096
const maxTtlSeconds = 2_419_200

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const wrongType = (path: string, type: string, value: unknown): Violation => ({
  field: path,
  description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`,
})

const text: Check = (value, path) => (typeof value === 'string' ? undefined : wrongType(path, 'TYPE_STRING', value))
const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : wrongType(path, 'TYPE_BOOL', value))
const number: Check = (value, path) => (typeof value === 'number' ? undefined : wrongType(path, 'TYPE_INT32', value))
const anything: Check = (value, path) => (isObject(value) ? undefined : wrongType(path, 'TYPE_MESSAGE', value))

const oneOf =
  (...names: string[]): Check =>
  (value, path) =>
    typeof value === 'string' && names.includes(value.toUpperCase()) ? undefined : wrongType(path, 'TYPE_ENUM', value)

const list =
  (each: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? first(value, (item, position) => each(item, `${path}[${position}]`)) : wrongType(path, 'TYPE_ARRAY', value)

const duration: Check = (value, path) => {
  const seconds = typeof value === 'string' ? /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(value)?.[1] : undefined
  if (seconds === undefined) return wrongType(path, 'type.googleapis.com/google.protobuf.Duration', value)
  return Number(seconds) <= maxTtlSeconds ? undefined : { field: path, description: 'The ttl must be between 0 and 2419200 seconds.' }
}

/** Says whether FCM reserves a key of `data`. */
const isReserved = (key: string) => ['from', 'message_type', 'gcm', 'collapse_key'].includes(key) || /^(google\.|gcm\.)/i.test(key)

const data: Check = (value, path) => {
  if (!isObject(value)) return wrongType(path, 'TYPE_MAP', value)
  return first(Object.entries(value), ([key, each]) => {
    if (isReserved(key)) return { field: path, description: `Invalid data payload key: ${key}` }
    return text(each, `${path}[${key}]`)
  })
}

/** Makes a check for an object with only these fields. Both `collapse_key` and `collapseKey` pass, as in the JSON form of protocol buffers. */
function object(fields: Readonly<Record<string, Check>>): Check {
  const checks = new Map(
    Object.entries(fields).flatMap(([name, check]) => [name, camelCase(name)].map((spelling) => [spelling, check] as const)),
  )
  return (value, path) => {
    if (!isObject(value)) return wrongType(path, 'TYPE_MESSAGE', value)
    return first(Object.entries(value), ([name, each]) => {
      const check = checks.get(name)
      if (!check)
        return { field: path, description: `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.` }
      return check(each, path === '' ? name : `${path}.${name}`)
    })
  }
}

const notification = object({ title: text, body: text, image: text })
const fcmOptions = object({ analytics_label: text })
const color = object({ red: number, green: number, blue: number, alpha: number })

const androidNotification = object({
  title: text,
  body: text,
  icon: text,
  color: text,
  sound: text,
  tag: text,
  click_action: text,
  body_loc_key: text,
  body_loc_args: list(text),
  title_loc_key: text,
  title_loc_args: list(text),
  channel_id: text,
  ticker: text,
  sticky: flag,
  event_time: text,
  local_only: flag,
  notification_priority: oneOf('PRIORITY_UNSPECIFIED', 'PRIORITY_MIN', 'PRIORITY_LOW', 'PRIORITY_DEFAULT', 'PRIORITY_HIGH', 'PRIORITY_MAX'),
  default_sound: flag,
  default_vibrate_timings: flag,
  default_light_settings: flag,
  vibrate_timings: list(text),
  visibility: oneOf('VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'),
  notification_count: number,
  light_settings: object({ color, light_on_duration: text, light_off_duration: text }),
  image: text,
  proxy: oneOf('PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'),
  bypass_proxy_notification: flag,
})

const android = object({
  collapse_key: text,
  priority: oneOf('NORMAL', 'HIGH'),
  ttl: duration,
  restricted_package_name: text,
  data,
  notification: androidNotification,
  fcm_options: fcmOptions,
  direct_boot_ok: flag,
  bandwidth_constrained_ok: flag,
  restricted_satellite_ok: flag,
})

const request = object({
  validate_only: flag,
  message: object({
    name: text,
    token: text,
    fid: text,
    topic: text,
    condition: text,
    data,
    notification,
    android,
    webpush: anything,
    apns: anything,
    fcm_options: fcmOptions,
  }),
})

export type SendRequest = {
  address: string
  isDryRun: boolean
  /** The key under which a newer message replaces this one: a notification without a key has the app's own. */
  collapseKey: string | undefined
  /** Whether the message has a ttl of 0, so that it is kept for nobody. */
  isNowOrNever: boolean
}

/**
 * Checks the body of `messages:send` against the reference of FCM v1: known fields, their types, one token or id of an installation, at most 4,096
 * bytes. Gives what the request says, or the first mistake.
 */
export function checkSendRequest(body: unknown): SendRequest | Violation {
  const wrong = request(body, '')
  if (wrong) return wrong
  const { message, validate_only, validateOnly } = body as {
    message?: Record<string, unknown>
    validate_only?: boolean
    validateOnly?: boolean
  }
  if (!message) return { field: 'message', description: 'Message is not set.' }
  const { token, fid, topic, condition } = message
  if (topic !== undefined || condition !== undefined) return { field: 'message', description: 'Only a token can be sent to here.' }
  if (token !== undefined && fid !== undefined) return { field: 'message', description: 'Recipient of the message is set twice.' }
  const address = token ?? fid
  if (typeof address !== 'string') return { field: 'message', description: 'Recipient of the message is not set.' }
  const bytes = payloadBytes(message)
  if (bytes > maxPayloadBytes)
    return { field: 'message', description: `Android message is too big: ${bytes} bytes, at most ${maxPayloadBytes}.` }
  return { address, isDryRun: validate_only ?? validateOnly ?? false, ...keeping(message) }
}

function keeping(message: Record<string, unknown>): Pick<SendRequest, 'collapseKey' | 'isNowOrNever'> {
  const android = isObject(message['android']) ? message['android'] : {}
  const { ttl, collapse_key, collapseKey = collapse_key } = android
  const isNotification = message['notification'] !== undefined || android['notification'] !== undefined
  return {
    collapseKey: typeof collapseKey === 'string' ? collapseKey : isNotification ? 'the package name' : undefined,
    isNowOrNever: typeof ttl === 'string' && Number.parseFloat(ttl) === 0,
  }
}

/** Counts the bytes that reach the device: the keys and values of data and notification. */
function payloadBytes(message: Record<string, unknown>): number {
  const android = isObject(message['android']) ? message['android'] : {}
  // On an Android device the fields under `android` replace the general ones.
  const notification = {
    ...(isObject(message['notification']) ? message['notification'] : {}),
    ...(isObject(android['notification']) ? android['notification'] : {}),
  }
  const values = android['data'] ?? message['data']
  let bytes = 0
  for (const part of [notification, isObject(values) ? values : {}]) {
    for (const key in part) {
      const value = part[key]
      bytes += Buffer.byteLength(key) + Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return bytes
}

function first<T>(items: readonly T[], check: (item: T, position: number) => Violation | undefined): Violation | undefined {
  for (const [position, item] of items.entries()) {
    const violation = check(item, position)
    if (violation) return violation
  }
  return undefined
}
