import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { allScopes } from '../../core/scopes.ts'
import { NewKey } from './NewKey.tsx'

type ApiKey = components['schemas']['ApiKey']

const longUnused = 90 * 86_400_000

/** Says whether a key was not used for 90 days, or was made 90 days ago and never used. */
const isIdle = ({ createdAt, lastUsedAt }: ApiKey): boolean => Date.now() - Date.parse(lastUsedAt ?? createdAt) > longUnused

/** Shows the API keys of an app. Keys are made and revoked here. */
export function KeysPage() {
  const appId = useAppId()
  const cache = useQueryClient()
  const [isMaking, setIsMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const pages = usePages(['keys', appId], async (cursor, signal) => {
    const query = { limit: 50, ...(cursor !== undefined && { cursor }) }
    return dataOf(await client.GET('/v1/admin/apps/{appId}/keys', { params: { path: { appId }, query }, signal }))
  })
  const makeButton = (
    <Button variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setIsMaking(true)}>
      New key
    </Button>
  )

  return (
    <Page
      title="Keys"
      lead="A secret key is for your backend and may send. A public key is for apps and pages, where everybody can read it, and can only register devices."
      guide="server"
      actions={makeButton}
    >
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0 && !pages.hasMore}
        empty={
          <Empty title="No keys yet" action={makeButton}>
            Your app needs a public key to register devices, your backend a secret key to send. Make one of each.
          </Empty>
        }
      >
        {() => (
          <>
            <Table
              caption="API keys, newest first"
              rows={pages.items}
              rowKey={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  label: 'Name',
                  cell: ({ name, kind, hint }) => (
                    <>
                      <div>{name}</div>
                      <div className="text-muted font-mono text-xs">
                        {kind === 'secret' ? 'sk' : 'pk'}_live_…{hint}
                      </div>
                    </>
                  ),
                },
                { key: 'kind', label: 'Kind', cell: ({ kind }) => kind },
                {
                  key: 'scopes',
                  label: 'Scopes',
                  cell: ({ kind, scopes }) => (
                    <span className="text-xs">
                      {kind === 'secret' && scopes.length === allScopes.length ? 'all scopes' : scopes.join(', ')}
                    </span>
                  ),
                },
                {
                  key: 'used',
                  label: 'Last used',
                  cell: (key) => (
                    <>
                      {key.lastUsedAt === null ? <span className="text-muted">not used yet</span> : <HourOf at={key.lastUsedAt} />}
                      {isIdle(key) && <Status kind="warning">not used for 90 days</Status>}
                    </>
                  ),
                },
                { key: 'made', label: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  key: 'revoke',
                  label: 'Revoke',
                  align: 'right',
                  cell: (key) => (
                    <Button variant="quiet" small aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
            <LoadMore pages={pages} />
          </>
        )}
      </Loaded>
      <NewKey
        appId={appId}
        open={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={() => void cache.invalidateQueries({ queryKey: ['keys', appId] })}
      />
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke “${revoking?.name ?? ''}”?`}
        action="Revoke the key"
        danger
        onConfirm={async () => {
          if (revoking === undefined) return
          await client.DELETE('/v1/admin/apps/{appId}/keys/{keyId}', { params: { path: { appId, keyId: revoking.id } } })
          await cache.invalidateQueries({ queryKey: ['keys', appId] })
          announce(`“${revoking.name}” is revoked. It works for at most 2 seconds more.`, 'good')
        }}
      >
        <p>It works for at most 2 seconds more. After that every request with it is refused with 401. This cannot be taken back.</p>
        {revoking !== undefined && (
          <p className="mt-2">
            {revoking.lastUsedAt === null ? (
              'It has not been used yet.'
            ) : (
              <>
                It was last used in the hour of <Time at={revoking.lastUsedAt} />.
              </>
            )}
          </p>
        )}
      </Confirm>
    </Page>
  )
}

/** Shows when a key was used last. Herald knows only the hour, so the beginning and the end of this hour are shown. */
function HourOf({ at }: { at: string }) {
  return (
    <span className="whitespace-nowrap">
      <Time at={at} /> to{' '}
      {new Date(Date.parse(at) + 3_600_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}
    </span>
  )
}
