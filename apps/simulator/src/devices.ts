import { createECDH, randomBytes, type ECDH } from 'node:crypto'
import type { Behaviour } from './behaviour.ts'

export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]
export const environments = ['production', 'sandbox'] as const
export type Environment = (typeof environments)[number]

/** `index` counts from 0 over all devices, in the order they were made; the record refers to devices by it. */
type Known = {
  index: number
  id: string
  behaviour: Behaviour | undefined
  subscriptionId: string | undefined
  /** A person holds it: it reports what it showed, and nothing that a person does. Undefined: it is one of the crowd. */
  hand: Hand | undefined
  /** The app was removed from it. */
  isGone: boolean
}
/** What a device that a person holds is called, and the address of the Herald that it reports to. */
export type Hand = { name: string; reportTo: string }

export type IosDevice = Known & { platform: 'ios'; token: string; environment: Environment; bundleId: string }
export type AndroidDevice = Known & { platform: 'android'; token: string; projectId: string }
export type WebDevice = Known & { platform: 'web'; path: string; keys: WebKeys; auth: Buffer; applicationServerKey: string | undefined }
export type Device = IosDevice | AndroidDevice | WebDevice

/** A browser's key pair. `ecdh` is made at the first push that is opened: setting a private key costs as much as making one. */
export type WebKeys = { publicKey: Buffer; privateKey: Buffer; ecdh: ECDH | undefined }

type Unlisted<T> = T extends unknown ? Omit<T, keyof Known> : never
export type NewDevice = Unlisted<Device>

export type Devices = ReturnType<typeof openDevices>

/** Every device there is, by what providers address it with. */
export function openDevices() {
  const all: Device[] = []
  const byId = new Map<string, Device>()
  const byAddress = { ios: new Map<string, IosDevice>(), android: new Map<string, AndroidDevice>(), web: new Map<string, WebDevice>() }
  return {
    add(fresh: NewDevice): Device {
      const device: Device = {
        ...fresh,
        index: all.length,
        id: `${fresh.platform}-${all.length}`,
        behaviour: undefined,
        subscriptionId: undefined,
        hand: undefined,
        isGone: false,
      }
      all.push(device)
      byId.set(device.id, device)
      if (device.platform === 'ios') byAddress.ios.set(device.token, device)
      else if (device.platform === 'android') byAddress.android.set(device.token, device)
      else byAddress.web.set(device.path, device)
      return device
    },
    all: (): readonly Device[] => all,
    at: (index: number): Device => all[index] as Device,
    byId: (id: string): Device | undefined => byId.get(id),
    ios: (token: string): IosDevice | undefined => byAddress.ios.get(token),
    android: (token: string): AndroidDevice | undefined => byAddress.android.get(token),
    web: (path: string): WebDevice | undefined => byAddress.web.get(path),
  }
}

export const newIosDevice = (environment: Environment, bundleId: string): NewDevice => ({
  platform: 'ios',
  token: randomBytes(32).toString('hex'),
  environment,
  bundleId,
})

export const newAndroidDevice = (projectId: string): NewDevice => ({
  platform: 'android',
  token: `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(100).toString('base64url')}`,
  projectId,
})

export const newWebDevice = (keys: WebKeys, applicationServerKey: string | undefined): NewDevice => ({
  platform: 'web',
  path: `/push/${randomBytes(24).toString('base64url')}`,
  keys,
  auth: randomBytes(16),
  applicationServerKey,
})

/** A new P-256 pair, about 70 µs. */
export function newWebKeys(): WebKeys {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { publicKey: ecdh.getPublicKey(), privateKey: ecdh.getPrivateKey(), ecdh }
}

/** The app was removed: its provider calls the device dead from now on. */
export function uninstall(device: Device): void {
  device.isGone = true
  device.behaviour = { answer: 'dead', since: Date.now() }
}

/** The accounts that an app of Herald sends with. */
export type Reach = { bundleId?: string | undefined; projectId?: string | undefined; applicationServerKey?: string | undefined }

/** Whether pushes sent with these accounts get to a device. */
export function isReachedBy(device: Device, { bundleId, projectId, applicationServerKey }: Reach): boolean {
  if (device.platform === 'ios') return device.bundleId === bundleId
  if (device.platform === 'android') return device.projectId === projectId
  return device.applicationServerKey !== undefined && device.applicationServerKey === applicationServerKey
}
