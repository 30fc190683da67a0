import { ios, type IosDevice } from './apns/device.ts'
import { android, type AndroidDevice } from './fcm/device.ts'
import { web, type WebDevice } from './web-push/device.ts'
import type { Device, DeviceKind, NewDevice, Platform, Reach } from './device-kind.ts'

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
      const about = { behaviour: undefined, kept: [], subscriptionId: undefined, hand: undefined, isGone: false }
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
