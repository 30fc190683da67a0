import { randomBytes } from 'node:crypto'
import { ControlError, onlyOne } from '../control-http.ts'
import { property } from '../request.ts'
import type { Device, DeviceKind } from '../device-kind.ts'

export type AndroidDevice = Device & { platform: 'android' }

/** Android phones. FCM knows each by a registration token of a project. */
export const android: DeviceKind<AndroidDevice> = {
  keptHeaders: [],
  addressOf: ({ token }) => token,
  registrationOf: ({ token }) => ({ token }),
  isReachedBy: (device, { projectId }) => device.projectId === projectId,
  findMsgId: (payload) => property(property(property(payload, 'message'), 'data'), 'msgId'),
  maker(accounts, { projectId }) {
    const project = projectId ?? onlyOne('projectId', accounts.projectIds())
    if (!accounts.project(project)) throw new ControlError(`projectId: no account has ${project}`)
    return () => ({
      platform: 'android',
      token: `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(100).toString('base64url')}`,
      projectId: project,
    })
  },
  toJson: ({ token, projectId }) => ({ token, projectId }),
  fromJson: ({ token = '', projectId = '' }) => ({ platform: 'android', token, projectId }),
}
