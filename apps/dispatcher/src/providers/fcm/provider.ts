import { readPrivateKey } from '@herald/auth/provider-token'
import { openWayOut, type WayOut } from '@herald/service/way-out'
import type { Config } from '../../config.ts'
import { emptyPush, oneEnvironment, rateScope, type CredentialsOf, type Line, type Opening, type Provider } from '../provider.ts'
import { fcmAnswers } from './answers.ts'
import { openFcm, openFcmLine } from './transport.ts'

/** Firebase Cloud Messaging (FCM v1). */
export const fcm: Provider<CredentialsOf<'fcm'>> = {
  platform: 'android',
  kind: 'fcm',
  answers: fcmAnswers,
  takesSilent: true,
  hasManyHosts: false,
  // `validate_only` makes FCM check the message and send nothing.
  checkPush: {
    ...emptyPush,
    address: '',
    body: JSON.stringify({ validate_only: true, message: { token: 'of-no-device', data: { check: '1' } } }),
  },
  mistakeIn: () => null,

  async open({ config, log, unseal, notesOf }) {
    const wayOut = openWayOut(config)
    const lineTo = await lineOpener(config, notesOf, wayOut)
    const onSkew = (aheadMs: number) => {
      const aheadSeconds = Math.round(aheadMs / 1000)
      const text =
        'this machine’s clock is off the provider’s by more than a minute: set the clock, since providers refuse tokens with a wrong date'
      log.warn({ aheadSeconds }, text)
    }
    return {
      forApp(_, credentials) {
        const { version, projectId, clientEmail, tokenUri } = credentials
        const privateKey = readPrivateKey(unseal(credentials))
        const line = lineTo(projectId)
        const transport = openFcm({ clientEmail, tokenUri, tokenUrl: config.FCM_TOKEN_URL, privateKey, onSkew, line, wayOut })
        const rate = { scope: rateScope('fcm', projectId), platform: 'android', most: mostPerSecond } as const
        return { transport, version, rate, ...oneEnvironment, originOf: () => 'fcm' }
      },
      close: () => Promise.resolve(),
    }
  },
}

/** FCM takes 600,000 messages a minute from a project unless it has granted more (firebase.google.com/docs/cloud-messaging/throttling-and-quotas). */
const mostPerSecond = 9_000

async function lineOpener(
  { TRANSPORT, FCM_URL }: Config,
  notesOf: Opening['notesOf'],
  wayOut: WayOut,
): Promise<(projectId: string) => Line> {
  if (TRANSPORT === 'library') {
    const [{ openFcmLine: open }, { redirectFirebase }] = await Promise.all([import('./library.ts'), import('./firebase.ts')])
    if (FCM_URL) redirectFirebase(new URL(FCM_URL))
    return open
  }
  const url = new URL(FCM_URL ?? 'https://fcm.googleapis.com')
  return (projectId) => openFcmLine(url, projectId, notesOf(url.host), wayOut)
}
