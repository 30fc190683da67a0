import type { Accounts } from './accounts.ts'
import { ios, type IosDevice } from './apns/device.ts'
import type { Behaviour } from './behaviour.ts'
import { android, type AndroidDevice } from './fcm/device.ts'
import { web, type WebDevice, type WebKeys } from './web-push/device.ts'

export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]
export const environments = ['production', 'sandbox'] as const
export type Environment = (typeof environments)[number]

/** The fields of a device that depend on its platform. */
export type NewDevice =
  | { platform: 'ios'; token: string; environment: Environment; bundleId: string }
  | { platform: 'android'; token: string; projectId: string }
  | { platform: 'web'; path: string; keys: WebKeys; auth: Buffer; applicationServerKey: string | undefined }

export type Device = NewDevice & {
  /** The device's number among all devices, from 0, in the order in which they were made. The record of pushes names devices by this number. */
  index: number
  id: string
  behaviour: Behaviour | undefined
  subscriptionId: string | undefined
  /** Set for a device that an operator uses: the device reports only that it showed a push. Undefined for every other device (the crowd). */
  hand: Hand | undefined
  /** Whether the app was removed from the device. */
  isGone: boolean
}
/** The name of a device that an operator uses, and the address of the Herald that it reports to. */
export type Hand = { name: string; reportTo: string }

/** The provider accounts with which an app of Herald sends. */
export type Reach = { bundleId?: string | undefined; projectId?: string | undefined; applicationServerKey?: string | undefined }
type Wanted = Reach & { environment: Environment; keyPool?: number | undefined }

/** What the simulator must know about the devices of a platform. Each provider's folder exports one of these in `device.ts`. */
export type DeviceKind<One extends Device = Device> = {
  /** The headers of a push that the record stores, in the order in which the simulated provider passes them to `accept`. */
  readonly keptHeaders: readonly string[]
  /** Gives the token or path by which the provider finds the device. */
  addressOf(device: One): string
  /** Gives what the device's app registers with Herald, besides its platform. */
  registrationOf(device: One, webPushOrigin: string): object
  /** Says whether pushes that are sent with these accounts can reach the device. */
  isReachedBy(device: One, accounts: Reach): boolean
  /** Gives the value that a payload has where Herald puts the msgId. */
  findMsgId(payload: unknown): unknown
  /** Decrypts the body of a push; undefined when the body was not encrypted for this device. Absent on platforms without encryption. */
  open?(device: One, body: Buffer): Buffer | undefined
  /** Gives a function that makes one more of the wanted devices. The bundle id or project id may be left out when the accounts have only one. */
  maker(accounts: Accounts, wanted: Wanted): () => NewDevice & { platform: One['platform'] }
  /** Gives a device as it is stored in a file. `fromJson` reads it back. */
  toJson(device: One): Record<string, string | undefined>
  fromJson(json: Readonly<Record<string, string | undefined>>): NewDevice & { platform: One['platform'] }
}

export const kinds: Readonly<Record<Platform, DeviceKind>> = { ios, android, web }

export type Devices = ReturnType<typeof openDevices>

/** Keeps every device in memory, and finds it by its number, by its id, or by the token or path that its provider knows. */
export function openDevices() {
  const all: Device[] = []
  const byId = new Map<string, Device>()
  const byAddress = { ios: new Map<string, Device>(), android: new Map<string, Device>(), web: new Map<string, Device>() }
  return {
    add(fresh: NewDevice): Device {
      const id = `${fresh.platform}-${all.length}`
      const about = { behaviour: undefined, subscriptionId: undefined, hand: undefined, isGone: false }
      const device: Device = { ...fresh, index: all.length, id, ...about }
      all.push(device)
      byId.set(id, device)
      byAddress[device.platform].set(kinds[device.platform].addressOf(device), device)
      return device
    },
    all: (): readonly Device[] => all,
    at: (index: number): Device => all[index] as Device,
    byId: (id: string): Device | undefined => byId.get(id),
    ios: (token: string) => byAddress.ios.get(token) as IosDevice | undefined,
    android: (token: string) => byAddress.android.get(token) as AndroidDevice | undefined,
    web: (path: string) => byAddress.web.get(path) as WebDevice | undefined,
  }
}

/** Removes the app from a device: the list of devices leaves the device out, and its provider answers that the device is dead. */
export function uninstall(device: Device): void {
  device.isGone = true
  device.behaviour = { answer: 'dead', since: Date.now() }
}

export const isReachedBy = (device: Device, accounts: Reach): boolean => kinds[device.platform].isReachedBy(device, accounts)

/** Gives Herald's msgId in the payload of a push; undefined when the payload has none. */
export function findMsgId(platform: Platform, payload: unknown): string | undefined {
  const msgId = kinds[platform].findMsgId(payload)
  return typeof msgId === 'string' ? msgId : undefined
}
