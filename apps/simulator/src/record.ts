import { CopyCounter } from './copies.ts'
import { Arena, GrowingNumbers } from './growing.ts'
import { findMsgId, kinds, type Devices } from './devices.ts'
import { parse } from './request.ts'
import { platforms, type Device, type Platform } from './device-kind.ts'

/**
 * What is known about the payload of an accepted push. `plain`: it can be read. `sealed`: it is a web push that is not decrypted yet. `broken`: it
 * cannot be decrypted. `dropped`: it was not stored (mode `counts`).
 */
const state = { plain: 0, sealed: 1, broken: 2, dropped: 3 } as const

/** `newest` searches at most this many pushes, beginning with the last one. */
const mostLooked = 20_000

export type Push = {
  seq: number
  at: number
  platform: Platform
  deviceId: string
  environment?: string
  id: string
  headers: Record<string, string>
  payload: unknown
  msgId: string | null
  bytes: number
  /** Present when a web push could not be decrypted with its device's keys. */
  error?: string
}

export type Accepted = {
  device: Device
  /** The apns-id, the name of an FCM message, or the location of a web push. */
  id: string
  /** The values of the platform's `keptHeaders`, in their order; undefined for a header that was not sent. */
  headers: readonly (string | undefined)[]
  body: Buffer
  msgId: string | undefined
}

export type Recording = ReturnType<typeof openRecord>

/**
 * Stores the pushes that the providers accepted, in order. Typed arrays and slabs hold a million pushes of 300 bytes in about 0.4 GB; small objects
 * would cost too much garbage collection. A web push is decrypted when read.
 */
export function openRecord(devices: Devices) {
  let columns = newColumns()
  let keepsBodies = true
  let listener: ((seq: number) => void) | undefined
  let handListener: ((seq: number) => void) | undefined

  function accept({ device, id, headers, body, msgId }: Accepted): void {
    const { at, device: deviceColumn, states, place, metaLength, bodyLength, arena, copies } = columns
    at.push(performance.timeOrigin + performance.now())
    deviceColumn.push(device.index)
    columns.accepted[device.platform]++
    if (columns.devicesSeen.mark(device.index)) columns.distinctDevices++
    if (msgId !== undefined) copies.add(device.index, msgId)
    if (keepsBodies) {
      const isSealed = kinds[device.platform].open !== undefined && body.length > 0
      if (isSealed) columns.sealed++
      const meta = [id, ...headers.map((header) => header ?? '')].join('\n')
      states.push(isSealed ? state.sealed : state.plain)
      place.push(arena.write(meta, body))
      metaLength.push(Buffer.byteLength(meta))
      bodyLength.push(body.length)
    } else {
      if (kinds[device.platform].open) columns.unread++
      states.push(state.dropped)
      for (const column of [place, metaLength, bodyLength]) column.push(0)
    }
    columns.size.push(body.length)
    if (device.hand) handListener?.(at.length)
    else listener?.(at.length)
  }

  /**
   * Gives the plain payload of the push at `index`; undefined when it was not stored or cannot be decrypted. An encrypted payload is decrypted once,
   * and the result overwrites the longer encrypted bytes.
   */
  function bodyOf(index: number): Buffer | undefined {
    const { states, arena, place, metaLength, bodyLength, copies } = columns
    const now = states.at(index)
    if (now === state.broken || now === state.dropped) return undefined
    const stored = arena.read(place.at(index) + metaLength.at(index), bodyLength.at(index))
    if (now === state.plain) return stored
    const device = devices.at(columns.device.at(index))
    const plain = kinds[device.platform].open?.(device, stored)
    columns.sealed--
    if (!plain) {
      columns.broken++
      states.set(index, state.broken)
      return undefined
    }
    plain.copy(stored)
    states.set(index, state.plain)
    bodyLength.set(index, plain.length)
    const msgId = findMsgId(device.platform, parse(plain))
    if (msgId !== undefined) copies.add(device.index, msgId)
    return plain
  }

  function read(seq: number): Push {
    const index = seq - 1
    const device = devices.at(columns.device.at(index))
    const body = bodyOf(index)
    const meta = columns.arena.read(columns.place.at(index), columns.metaLength.at(index)).toString()
    const [id = '', ...values] = meta.split('\n')
    const names = kinds[device.platform].keptHeaders
    const payload = body === undefined || body.length === 0 ? null : (parse(body) ?? null)
    return {
      seq,
      at: columns.at.at(index),
      platform: device.platform,
      deviceId: device.id,
      ...('environment' in device && { environment: device.environment }),
      id,
      headers: Object.fromEntries(names.flatMap((name, position) => (values[position] ? [[name, values[position]]] : []))),
      payload,
      msgId: findMsgId(device.platform, payload) ?? null,
      bytes: columns.size.at(index),
      ...(columns.states.at(index) === state.broken && { error: 'does not decrypt with the keys of its device' }),
    }
  }

  /** Gives up to `limit` pushes of the wanted platform and device with numbers above `after`, oldest first. */
  function page(filter: { platform?: Platform | undefined; deviceId?: string | undefined; after: number; limit: number }): Push[] {
    const pushes: Push[] = []
    const wanted = filter.deviceId === undefined ? undefined : devices.byId(filter.deviceId)
    if (filter.deviceId !== undefined && !wanted) return pushes
    for (let index = filter.after; index < columns.at.length && pushes.length < filter.limit; index++) {
      const deviceIndex = columns.device.at(index)
      if (wanted && wanted.index !== deviceIndex) continue
      if (filter.platform && devices.at(deviceIndex).platform !== filter.platform) continue
      pushes.push(read(index + 1))
    }
    return pushes
  }

  /** Decrypts the web pushes that were not read yet, some at a time, so that the process can answer requests meanwhile. */
  async function openAll(): Promise<void> {
    const target = columns
    for (let index = 0; index < target.at.length; index++) {
      if (target !== columns || target.sealed === 0) return
      if (target.states.at(index) !== state.sealed) continue
      bodyOf(index)
      if (index % 32 === 0) await new Promise(setImmediate)
    }
  }

  function refuse(service: string, status: number, reason: string): void {
    const key = `${service} ${status} ${reason}`
    columns.rejected[key] = (columns.rejected[key] ?? 0) + 1
  }

  function summary() {
    const { at, accepted, rejected, distinctDevices, copies, sealed, unread, broken } = columns
    return {
      accepted: { ...accepted, total: at.length },
      rejected: { ...rejected },
      distinctDevices,
      copies: copies.copies,
      // The web pushes whose msgId is not known. `copies` does not count these, because only the msgId shows that a push is a copy.
      unread: sealed + unread,
      undecryptable: broken,
      firstAcceptedAt: at.length ? at.at(0) : null,
      lastAcceptedAt: at.length ? at.at(at.length - 1) : null,
    }
  }

  return {
    accept,
    refuse,
    read,
    page,
    openAll,
    summary,
    /** Deletes all pushes. The next push gets number 1, and from now on pushes are stored in full, also after `keep('counts')`. */
    reset(): void {
      columns = newColumns()
      keepsBodies = true
    },
    /** Sets what is stored of pushes from now on. With `counts`, for very large sends, ids, headers and payloads of pushes are not stored. */
    keep(mode: 'full' | 'counts'): void {
      keepsBodies = mode === 'full'
    },
    mode: (): 'full' | 'counts' => (keepsBodies ? 'full' : 'counts'),
    /** Gives the pushes to wanted devices before number `before`, newest first. Searches only the last 20,000 pushes. */
    newest(isWanted: (device: Device) => boolean, { before, limit }: { before: number | undefined; limit: number }): Push[] {
      const pushes: Push[] = []
      const last = columns.at.length
      const from = Math.min(before === undefined ? last : before - 1, last)
      for (let index = from - 1; index >= Math.max(0, last - mostLooked) && pushes.length < limit; index--)
        if (isWanted(devices.at(columns.device.at(index)))) pushes.push(read(index + 1))
      return pushes
    },
    /**
     * Gives the pushes to wanted devices after number `after`: the newest `limit` of them, oldest first, and how many others there were. An `after`
     * above the last number is from before a reset, and counts as 0.
     */
    tail(isWanted: (device: Device) => boolean, { after, limit }: { after: number; limit: number }) {
      const last = columns.at.length
      const wanted: number[] = []
      for (let index = after > last ? 0 : after; index < last; index++)
        if (isWanted(devices.at(columns.device.at(index)))) wanted.push(index + 1)
      const shown = limit === 0 ? [] : wanted.slice(-limit)
      return { last, dropped: wanted.length - shown.length, pushes: shown.map(read) }
    },
    last: (): number => columns.at.length,
    /** Calls `listen` with the number of every push to a device that an operator uses. */
    onShown(listen: (seq: number) => void): void {
      handListener = listen
    },
    /** Calls `listen` with the number of every push to a device that no operator uses. There is at most one listener; undefined removes it. */
    onAccepted(listen: ((seq: number) => void) | undefined): void {
      listener = listen
    },
  }
}

function newColumns() {
  return {
    at: new GrowingNumbers(Float64Array),
    device: new GrowingNumbers(Uint32Array),
    states: new GrowingNumbers(Uint8Array),
    place: new GrowingNumbers(Float64Array),
    metaLength: new GrowingNumbers(Uint16Array),
    bodyLength: new GrowingNumbers(Uint32Array),
    size: new GrowingNumbers(Uint32Array),
    arena: new Arena(),
    copies: new CopyCounter(),
    devicesSeen: new Marks(),
    accepted: Object.fromEntries(platforms.map((platform) => [platform, 0])) as Record<Platform, number>,
    rejected: {} as Record<string, number>,
    distinctDevices: 0,
    sealed: 0,
    unread: 0,
    broken: 0,
  }
}

/** A set of small numbers. */
class Marks {
  private marks = new Uint8Array(1024)

  /** Adds a number. Gives true when the set did not have it. */
  mark(index: number): boolean {
    if (index >= this.marks.length) {
      const larger = new Uint8Array(Math.max(index + 1, this.marks.length * 2))
      larger.set(this.marks)
      this.marks = larger
    }
    if (this.marks[index]) return false
    this.marks[index] = 1
    return true
  }
}
