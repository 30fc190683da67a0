import { setTimeout as wait } from 'node:timers/promises'
import { kinds, type Devices } from './devices.ts'
import { openPoster, type Poster } from './poster.ts'
import type { Recording } from './record.ts'
import type { Device } from './device-kind.ts'

export type Registration = {
  baseUrl: string
  appKey: string
  devices: readonly Device[]
  /** The origin of every web device's endpoint. */
  webPushOrigin: string
  /** With a prefix, device `ios-3` registers as the user `<prefix>ios-3`. Without it every device is anonymous. */
  externalIdPrefix?: string | undefined
  concurrency: number
}

/**
 * The shares of pushes (0 to 1) that the crowd reports. The events of one push fit together: with delivered 0.9 and opened 0.3, each push that is
 * reported opened is also reported delivered.
 */
export type Reports = { baseUrl: string; delivered: number; opened: number; clicked: number; dismissed: number; concurrency: number }

type Kind = 'd' | 'o' | 'c' | 'x'

const maxPending = 500_000
const tries = 5
const firstRetryMs = 200

export type Crowd = ReturnType<typeof openCrowd>

/**
 * Simulates the apps on the devices of the crowd (all devices that no operator uses): they register with Herald and report what became of pushes,
 * each from an IP address of its own.
 */
export function openCrowd(devices: Devices, recording: Recording) {
  let registered = 0
  let failed = 0
  let dropped = 0
  let reported: Record<Kind, number> = { d: 0, o: 0, c: 0, x: 0 }
  let reports: Reports | undefined
  let poster: Poster | undefined
  let pending: number[] = []
  let running = 0

  async function register(registration: Registration) {
    const { devices: chosen, concurrency } = registration
    const connection = openPoster(concurrency)
    const errors: string[] = []
    const subscriptions: { id: string; subscriptionId: string }[] = []
    const queue = chosen.values()
    const work = async () => {
      for (const device of queue) {
        const subscriptionId = await registerOne(connection, registration, device, errors)
        if (subscriptionId === undefined) continue
        device.subscriptionId = subscriptionId
        subscriptions.push({ id: device.id, subscriptionId })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    connection.close()
    registered += subscriptions.length
    return { registered: subscriptions.length, failed: chosen.length - subscriptions.length, errors: errors.slice(0, 5), subscriptions }
  }

  function pump(): void {
    if (!reports || !poster || running >= reports.concurrency) return
    const seq = pending.pop()
    if (seq === undefined) return
    running++
    void reportOne(reports, poster, seq).finally(() => {
      running--
      pump()
    })
    pump()
  }

  async function reportOne({ baseUrl, ...shares }: Reports, connection: Poster, seq: number): Promise<void> {
    const kinds = chooseKinds(shares, Math.random())
    if (kinds.length === 0) return
    const { msgId, deviceId } = recording.read(seq)
    const device = devices.byId(deviceId)
    if (msgId === null || !device) return
    for (const kind of kinds) {
      const isDone = await report(connection, `${baseUrl}/v1/e/${kind}/${msgId}`, device)
      if (isDone) reported[kind]++
      else failed++
    }
  }

  return {
    register,
    /** Sets which shares the crowd reports from now on; undefined stops the reports and forgets those that are not sent yet. */
    setReports(next: Reports | undefined): void {
      poster?.close()
      reports = next
      poster = next && openPoster(next.concurrency)
      if (!next) pending = []
      recording.onAccepted(
        next &&
          ((seq) => {
            if (pending.length >= maxPending) dropped++
            else pending.push(seq)
            // Reports later, because decrypting a web push takes longer than the sender should wait for its answer.
            if (running < next.concurrency) setImmediate(pump)
          }),
      )
    },
    state: () => ({ registered, reported: { ...reported }, pending: pending.length + running, failed, dropped }),
    /** Forgets the reports that are not sent yet and sets the counts of reports to 0, because the record of pushes starts anew. */
    reset(): void {
      pending = []
      failed = 0
      dropped = 0
      reported = { d: 0, o: 0, c: 0, x: 0 }
    },
  }
}

/** Chooses the events that a device reports for a push. `luck` is a random number in [0, 1). */
export function chooseKinds(shares: Omit<Reports, 'baseUrl' | 'concurrency'>, luck: number): Kind[] {
  const kinds: Kind[] = []
  if (luck < shares.delivered) kinds.push('d')
  if (luck < shares.opened) kinds.push('o')
  if (luck < shares.clicked) kinds.push('c')
  if (luck >= shares.opened && luck < shares.opened + shares.dismissed) kinds.push('x')
  return kinds
}

/**
 * Gives the IP address of a device. Each device has its own, because Herald limits registrations from one address: with one address for all it would
 * refuse the eleventh device.
 */
export const addressOf = ({ index }: Device): string => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`

async function registerOne(connection: Poster, registration: Registration, device: Device, errors: string[]): Promise<string | undefined> {
  const { baseUrl, appKey, externalIdPrefix, webPushOrigin } = registration
  const body = {
    platform: device.platform,
    ...kinds[device.platform].registrationOf(device, webPushOrigin),
    ...(externalIdPrefix !== undefined && { externalId: `${externalIdPrefix}${device.id}` }),
  }
  const answer = await connection.post(`${baseUrl}/v1/subscriptions`, { 'x-app-key': appKey, 'x-forwarded-for': addressOf(device) }, body)
  const id = answer.status >= 200 && answer.status < 300 ? (JSON.parse(answer.body) as { id?: unknown }).id : undefined
  if (typeof id === 'string') return id
  errors.push(`${device.id}: ${answer.status} ${answer.body.slice(0, 200)}`)
  return undefined
}

/**
 * Reports an event for a device, up to five times while Herald answers 429 or 5xx or not at all. Says whether Herald has taken the report. Herald
 * counts an event once in any case.
 */
export async function report(connection: Poster, url: string, device: Device): Promise<boolean> {
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await wait(firstRetryMs * 2 ** (attempt - 1))
    const { status } = await connection.post(url, { 'x-forwarded-for': addressOf(device) })
    if (status === 204) return true
    if (status !== 0 && status !== 429 && status < 500) return false
  }
  return false
}
