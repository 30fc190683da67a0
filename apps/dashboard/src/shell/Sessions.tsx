import { api } from '../api/client.ts'
import type { components } from '../api/schema.gen.ts'
import { browserName } from '../core/browser-name.ts'
import { announce } from '../ui/Announcer.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorNote } from '../ui/ErrorNote.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Time } from '../ui/Time.tsx'

type Listed = components['schemas']['ListSessionsAnswer']['items'][number]

/** Shows who is signed in to Herald, and ends the session of a browser that was lost or left open. */
export function Sessions({ onClose }: { onClose: () => void }) {
  const query = api.useQuery('get', '/v1/admin/sessions', {}, { staleTime: 0 })
  const end = api.useMutation('delete', '/v1/admin/sessions/{id}', {
    onSuccess: () => announce('The session has ended.', 'good'),
    onSettled: () => query.refetch(),
  })
  return (
    <Dialog open onClose={onClose} title="Sessions">
      {end.error !== null && <ErrorNote error={end.error} />}
      <Loaded query={query}>
        {({ items }: { items: Listed[] }) => (
          <ul className="grid list-none gap-3 p-0">
            {items.map(({ id, name, browser, createdAt, lastUsedAt, keyName, isThis }) => (
              <li
                key={id}
                className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 border-t border-line pt-3 first:border-0 first:pt-0"
              >
                <div className="min-w-0">
                  <p className="flex flex-wrap items-center gap-x-2">
                    <strong className="break-all">{name}</strong>
                    {isThis && <Tag>this one</Tag>}
                  </p>
                  <p className="text-muted">
                    {browserName(browser)}
                    {keyName !== null && `, with the key ${keyName}`}
                  </p>
                  <p className="text-muted">
                    Since <Time at={createdAt} />, last used <Time at={lastUsedAt} />
                  </p>
                </div>
                {!isThis && (
                  <Button
                    small
                    aria-label={`End the session of ${name}`}
                    busy={end.isPending && end.variables.params.path.id === id}
                    onClick={() => end.mutate({ params: { path: { id } } })}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Dialog>
  )
}
