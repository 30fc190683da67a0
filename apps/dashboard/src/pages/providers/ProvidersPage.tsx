import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useAppId } from '../../session/useAppId.ts'
import { useSystem } from '../../session/useSystem.ts'
import { AllAtOnce } from '../../ui/AllAtOnce.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Page } from '../../ui/Page.tsx'
import { ApnsForm } from './ApnsForm.tsx'
import { FcmForm } from './FcmForm.tsx'
import { kinds, type Kind } from './kinds.ts'
import { ProviderCard } from './ProviderCard.tsx'
import { WebPushForm } from './WebPushForm.tsx'

const from = '/apps/$appId/providers'

/** Shows the credentials of the three providers. An operator sets, checks, replaces and removes them here; secrets are never shown again. */
export function ProvidersPage() {
  const appId = useAppId()
  const { set } = useSearch({ from })
  const navigate = useNavigate({ from })
  const system = useSystem()
  const params = { params: { path: { appId } } }
  const lookAgain = { refetchInterval: 10_000, retry: false } as const
  const apns = api.useQuery('get', '/v1/admin/apps/{appId}/providers/apns', params, lookAgain)
  const fcm = api.useQuery('get', '/v1/admin/apps/{appId}/providers/fcm', params, lookAgain)
  const webpush = api.useQuery('get', '/v1/admin/apps/{appId}/providers/webpush', params, lookAgain)

  const open = (kind: Kind): void => void navigate({ search: { set: kind } })
  const close = (): void => void navigate({ search: {}, replace: true })
  const done = (): void => {
    close()
    void Promise.all([apns.refetch(), fcm.refetch(), webpush.refetch()])
  }
  const queries = { apns, fcm, webpush }

  return (
    <Page title="Providers" lead="The accounts at Apple, Google and browsers’ push services that this app sends with." guide="going-live">
      {system.data?.simulator === true && (
        <Banner kind="info">The simulator refuses real credentials. Where an app has none, take the simulator’s own account.</Banner>
      )}
      <AllAtOnce>
        <div className="flex flex-col gap-5">
          <ProviderCard
            kind="apns"
            query={queries.apns}
            facts={
              apns.data && [
                { label: 'Team id', value: apns.data.teamId },
                { label: 'Key id', value: apns.data.keyId },
                { label: 'Bundle id', value: apns.data.bundleId },
                { label: 'Environment', value: apns.data.environment },
              ]
            }
            isSandbox={apns.data?.environment === 'sandbox'}
            onSet={() => open('apns')}
          />
          <ProviderCard
            kind="fcm"
            query={queries.fcm}
            facts={
              fcm.data && [
                { label: 'Project', value: fcm.data.projectId },
                { label: 'Service account', value: fcm.data.clientEmail },
              ]
            }
            onSet={() => open('fcm')}
          />
          <ProviderCard
            kind="webpush"
            query={queries.webpush}
            facts={
              webpush.data && [
                { label: 'Subject', value: webpush.data.subject },
                { label: 'Public key', value: webpush.data.publicKey },
              ]
            }
            subject={webpush.data?.subject}
            onSet={() => open('webpush')}
          />
        </div>
      </AllAtOnce>
      {set !== undefined && !queries[set].isPending && (
        <Dialog
          open
          onClose={close}
          title={`${kinds[set].name}: ${queries[set].data === undefined ? 'set credentials' : 'replace credentials'}`}
        >
          {set === 'apns' && <ApnsForm before={apns.data} onDone={done} />}
          {set === 'fcm' && <FcmForm before={fcm.data} onDone={done} />}
          {set === 'webpush' && <WebPushForm before={webpush.data} onDone={done} />}
        </Dialog>
      )}
    </Page>
  )
}
