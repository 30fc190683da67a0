import { randomBytes } from 'node:crypto'
import { ControlError, onlyOne } from '../control-http.ts'
import { property } from '../request.ts'
import type { Device, DeviceKind } from '../device-kind.ts'

export type IosDevice = Device & { platform: 'ios' }

/** iPhones and iPads. APNs knows each by a token, in one of its two environments. */
export const ios: DeviceKind<IosDevice> = {
  keptHeaders: ['topic', 'pushType', 'priority', 'expiration', 'collapseId'],
  addressOf: ({ token }) => token,
  registrationOf: ({ token }) => ({ token }),
  isReachedBy: (device, { bundleId }) => device.bundleId === bundleId,
  findMsgId: (payload) => property(property(payload, 'herald'), 'msgId'),
  maker(accounts, { environment, bundleId }) {
    const bundle = bundleId ?? onlyOne('bundleId', accounts.bundleIds())
    if (!accounts.teamOf(bundle)) throw new ControlError(`bundleId: no account has ${bundle}`)
    return () => ({ platform: 'ios', token: randomBytes(32).toString('hex'), environment, bundleId: bundle })
  },
  toJson: ({ token, environment, bundleId }) => ({ token, environment, bundleId }),
  fromJson: ({ token = '', environment, bundleId = '' }) => ({
    platform: 'ios',
    token,
    environment: environment === 'sandbox' ? 'sandbox' : 'production',
    bundleId,
  }),
}
