import { useNavigate, useSearch } from '@tanstack/react-router'
import { providerKinds } from '@herald/contracts/app'
import { api } from '../../api/client.ts'
import { useAppId } from '../../session/useAppId.ts'
import { useSystem } from '../../session/useSystem.ts'
import { AllAtOnce } from '../../ui/AllAtOnce.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Page } from '../../ui/Page.tsx'
import { warningOfSandbox, warningOfSubject } from '../../core/provider-warnings.ts'
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
  const shown = {
    apns: {
      facts: {
        'Team id': apns.data?.teamId,
        'Key id': apns.data?.keyId,
        'Bundle id': apns.data?.bundleId,
        Environment: apns.data?.environment,
      },
      warning: apns.data?.environment === 'sandbox' ? warningOfSandbox : undefined,
    },
    fcm: { facts: { Project: fcm.data?.projectId, 'Service account': fcm.data?.clientEmail } },
    webpush: {
      facts: { Subject: webpush.data?.subject, 'Public key': webpush.data?.publicKey },
      warning: webpush.data && warningOfSubject(webpush.data.subject),
    },
  }

  return (
    <Page title="Providers" lead="The accounts at Apple, Google and browsers’ push services that this app sends with." guide="going-live">
      {system.data?.simulator === true && (
        <Banner kind="info">The simulator refuses real credentials. Where an app has none, take the simulator’s own account.</Banner>
      )}
      <AllAtOnce>
        <div className="flex flex-col gap-5">
          {providerKinds.map((kind) => (
            <ProviderCard key={kind} kind={kind} query={queries[kind]} {...shown[kind]} onSet={() => open(kind)} />
          ))}
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
