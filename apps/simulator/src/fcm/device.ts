import { randomBytes } from 'node:crypto'
import { ControlError, onlyOne } from '../control-http.ts'
import { property } from '../request.ts'
import type { Device, DeviceKind } from '../device-kind.ts'

export type AndroidDevice = Device & { platform: 'android' }

/** Makes the id of a Firebase installation as the SDK does: 17 random bytes that begin with 0111, of which base64url keeps 22 characters. */
function newInstallationId(): string {
  const bytes = randomBytes(17)
  bytes[0] = 0b0111_0000 + ((bytes[0] ?? 0) & 0b1111)
  return bytes.toString('base64url').slice(0, 22)
}

/**
 * Android phones. FCM knows each by a registration token of a project or, when the control API asks for that, by the id of its Firebase installation.
 */
export const android: DeviceKind<AndroidDevice> = {
  keptHeaders: [],
  addressOf: ({ token }) => token,
  registrationOf: ({ token }) => ({ token }),
  isReachedBy: (device, { projectId }) => device.projectId === projectId,
  findMsgId: (payload) => property(property(property(payload, 'message'), 'data'), 'msgId'),
  maker(accounts, { projectId, installationIds = false }) {
    const project = projectId ?? onlyOne('projectId', accounts.projectIds())
    if (!accounts.project(project)) throw new ControlError(`projectId: no account has ${project}`)
    return () => ({
      platform: 'android',
      token: installationIds ? newInstallationId() : `${newInstallationId()}:APA91b${randomBytes(100).toString('base64url')}`,
      projectId: project,
    })
  },
  toJson: ({ token, projectId }) => ({ token, projectId }),
  fromJson: ({ token = '', projectId = '' }) => ({ platform: 'android', token, projectId }),
}
