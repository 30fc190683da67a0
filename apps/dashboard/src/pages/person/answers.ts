import type { components } from '../../api/schema.gen.ts'

/** A person as the administration answers it, with the newest pushes. */
export type Person = components['schemas']['ReadUserOfAppAnswer']
export type Device = Person['subscriptions'][number]
export type Push = Person['pushes'][number]

/** How a device is called in a list. */
export const nameOfDevice = ({ deviceModel, browser, platform }: Pick<Device, 'deviceModel' | 'browser' | 'platform'>): string =>
  deviceModel ?? browser ?? { ios: 'iOS device', android: 'Android device', web: 'Browser' }[platform]
