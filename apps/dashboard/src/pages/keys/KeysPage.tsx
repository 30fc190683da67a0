import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { allScopes } from '../../core/scopes.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/Section.tsx'
import { KeyTable } from './KeyTable.tsx'
import { NewKey, type Kind } from './NewKey.tsx'

const queryOf = (cursor: string | undefined) => ({ limit: 50, ...(cursor !== undefined && { cursor }) })

/** Shows the API keys of an app, and the keys with which people and tools administer it. Keys are made and revoked here. */
export function KeysPage() {
  const appId = useAppId()
  const cache = useQueryClient()
  const [making, setMaking] = useState<Kind>()
  const ofApp = usePages(['keys', appId], async (cursor, signal) =>
    dataOf(await client.GET('/v1/admin/apps/{appId}/keys', { params: { path: { appId }, query: queryOf(cursor) }, signal })),
  )
  const ofPeople = usePages(['admin-keys', appId], async (cursor, signal) =>
    dataOf(await client.GET('/v1/admin/apps/{appId}/admin-keys', { params: { path: { appId }, query: queryOf(cursor) }, signal })),
  )
  const make = (kind: Kind, label: string, variant: 'primary' | 'secondary') => (
    <Button needed="platform" variant={variant} icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(kind)}>
      {label}
    </Button>
  )

  return (
    <Page
      title="Keys"
      lead="A secret key is for your backend and may send. A public key is for apps and pages, where everybody can read it, and can only register devices."
      guide="server"
      actions={make('secret', 'New key', 'primary')}
    >
      <Loaded
        query={ofApp.query}
        isEmpty={() => ofApp.items.length === 0 && !ofApp.hasMore}
        empty={
          <Empty title="No keys yet" action={make('secret', 'New key', 'primary')}>
            Your app needs a public key to register devices, your backend a secret key to send. Make one of each.
          </Empty>
        }
      >
        {() => (
          <KeyTable
            caption="API keys, newest first"
            pages={ofApp}
            beginOf={({ kind }) => (kind === 'secret' ? 'sk_live_' : 'pk_live_')}
            columns={[
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
            ]}
            revoke={(keyId) => client.DELETE('/v1/admin/apps/{appId}/keys/{keyId}', { params: { path: { appId, keyId } } })}
          />
        )}
      </Loaded>
      <Section title="For people and tools" actions={make('admin', 'New key for a person or tool', 'secondary')}>
        <p className="text-muted">
          A colleague signs in with such a key, the command line and CI work with it. It administers this app alone, within its scopes.
        </p>
        <Loaded
          query={ofPeople.query}
          isEmpty={() => ofPeople.items.length === 0 && !ofPeople.hasMore}
          empty={<Empty title="No keys for people or tools yet" />}
        >
          {() => (
            <KeyTable
              caption="Keys for people and tools, newest first"
              pages={ofPeople}
              beginOf={() => 'ak_live_'}
              columns={[{ key: 'scopes', label: 'Scopes', cell: ({ scopes }) => <span className="text-xs">{scopes.join(', ')}</span> }]}
              revoke={(keyId) => client.DELETE('/v1/admin/apps/{appId}/admin-keys/{keyId}', { params: { path: { appId, keyId } } })}
              alsoStops=", and who signed in with it is signed out"
            />
          )}
        </Loaded>
      </Section>
      <NewKey
        appId={appId}
        kind={making}
        onClose={() => setMaking(undefined)}
        onMade={() =>
          void Promise.all(
            [
              ['keys', appId],
              ['admin-keys', appId],
            ].map((queryKey) => cache.invalidateQueries({ queryKey })),
          )
        }
      />
    </Page>
  )
}
