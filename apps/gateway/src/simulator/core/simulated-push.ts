import type { Platform } from '@herald/contracts/platform'

/** A push as the simulator reports it. */
export type TakenPush = {
  seq: number
  /** Milliseconds since 1970, with a fraction. */
  at: number
  deviceId: string
  platform: Platform
  environment?: string
  subscriptionId: string | null
  headers: Record<string, string>
  payload: unknown
  msgId: string | null
  bytes: number
  error?: string
}

export type ShownAction = { id: string; title: string; url: string | null }
export type ShownContent = {
  title: string
  body: string
  url: string | null
  image: string | null
  actions: ShownAction[]
  badge: number | null
  sound: string | null
}

/**
 * Reads what a virtual phone or browser shows of a payload, as a mobile app or a service worker would read it. `shown` is null when the push is
 * silent. `data` is the send's own data.
 */
export function readPayload(platform: Platform, payload: unknown): { shown: ShownContent | null; data: Record<string, string> } {
  if (platform === 'ios') return readApns(fields(payload))
  if (platform === 'android') return readFcm(fields(fields(payload)['message']))
  return readWebPush(fields(payload))
}

/** Gives the payload with only the end of a device's token. Only FCM's message contains the token. */
export function withoutToken(payload: unknown): unknown {
  const { message, ...rest } = fields(payload)
  const { token } = fields(message)
  return typeof token === 'string' ? { ...rest, message: { ...fields(message), token: `…${token.slice(-4)}` } } : payload
}

function readApns({ aps, herald, ...rest }: Fields) {
  const alert = fields(aps)['alert']
  const ours = fields(herald)
  const data = texts(rest)
  if (alert === undefined) return { shown: null, data }
  const { badge, sound } = fields(aps)
  return { shown: content({ ...ours, title: fields(alert)['title'], body: fields(alert)['body'], badge, sound }), data }
}

function readFcm({ notification, data, android }: Fields) {
  const { msgId: _msgId, ...all } = texts(fields(data))
  if (notification === undefined) return { shown: null, data: all }
  const { url, actions, ...own } = all
  const { title, body, image } = fields(notification)
  const { sound, notification_count: badge } = fields(fields(android)['notification'])
  return { shown: content({ title, body, image, url, actions: parsed(actions), badge, sound }), data: own }
}

function readWebPush({ data, ...shown }: Fields) {
  const { msgId: _msgId, ...own } = texts(fields(data))
  return { shown: content(shown), data: own }
}

function content({ title, body, url, image, actions, badge, sound }: Fields): ShownContent {
  return {
    title: text(title) ?? '',
    body: text(body) ?? '',
    url: text(url),
    image: text(image),
    actions: (Array.isArray(actions) ? actions : []).map((action: unknown) => {
      const { id, title: name, url: address } = fields(action)
      return { id: text(id) ?? '', title: text(name) ?? '', url: text(address) }
    }),
    badge: typeof badge === 'number' ? badge : null,
    sound: text(sound),
  }
}

type Fields = Record<string, unknown>

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {})
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const texts = (value: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])))

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null')
  } catch {
    return null
  }
}
