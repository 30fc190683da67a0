import type { components } from '../../api/schema.gen.ts'

/** A user as the administration answers it, with the newest pushes. */
export type Person = components['schemas']['ReadUserOfAppAnswer']
export type Device = Person['subscriptions'][number]
export type Push = Person['pushes'][number]

/** The name of a device in a list. */
export const nameOfDevice = ({ deviceModel, browser, platform }: Pick<Device, 'deviceModel' | 'browser' | 'platform'>): string =>
  deviceModel ?? browser ?? { ios: 'iOS device', android: 'Android device', web: 'Browser' }[platform]
