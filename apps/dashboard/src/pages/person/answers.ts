import type { components } from '../../api/schema.gen.ts'
import { unknownDeviceNames } from '../../core/platform-names.ts'

/** A user in an answer of the administration API, with devices and the newest pushes. */
export type Person = components['schemas']['ReadUserOfAppAnswer']
export type Device = Person['subscriptions'][number]
export type Push = Person['pushes'][number]

/** Gives the name of a device in a list. */
export const nameOfDevice = ({ deviceModel, browser, platform }: Pick<Device, 'deviceModel' | 'browser' | 'platform'>): string =>
  deviceModel ?? browser ?? unknownDeviceNames[platform]
