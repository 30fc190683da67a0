import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { usePages } from '../../api/usePages.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'

type Key = { id: string; name: string; hint: string; publicText?: string | null; createdAt: string; lastUsedAt: string | null }
type KeyTableProps<Row extends Key> = {
  caption: string
  pages: ReturnType<typeof usePages<Row>>
  /** How a key of this list begins. */
  beginOf: (key: Row) => string
  columns: { key: string; label: string; cell: (key: Row) => ReactNode }[]
  revoke: (id: string) => Promise<unknown>
  /** What a revoked key stops, beside requests. */
  alsoStops?: string
}

const longUnused = 90 * 86_400_000

/** Says whether a key was not used for 90 days, or was made 90 days ago and never used. */
const isIdle = ({ createdAt, lastUsedAt }: Key): boolean => Date.now() - Date.parse(lastUsedAt ?? createdAt) > longUnused

/** Lists keys of one sort, newest first, and revokes them. */
export function KeyTable<Row extends Key>({ caption, pages, beginOf, columns, revoke, alsoStops = '' }: KeyTableProps<Row>) {
  const cache = useQueryClient()
  const [revoking, setRevoking] = useState<Row>()
  return (
    <>
      <Table
        caption={caption}
        rows={pages.items}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'name',
            label: 'Name',
            cell: (key) => (
              <>
                <div>{key.name}</div>
                <div className="text-muted font-mono text-xs">
                  {key.publicText == null ? `${beginOf(key)}…${key.hint}` : <CopyText text={key.publicText} label="the public key" />}
                </div>
              </>
            ),
          },
          ...columns,
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
          { key: 'made', label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            key: 'revoke',
            label: 'Revoke',
            align: 'right',
            cell: (key) => (
              <Button needed="platform" variant="quiet" small aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                Revoke
              </Button>
            ),
          },
        ]}
      />
      <LoadMore pages={pages} />
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke “${revoking?.name ?? ''}”?`}
        action="Revoke the key"
        danger
        onConfirm={async () => {
          if (revoking === undefined) return
          await revoke(revoking.id)
          await Promise.all([['keys'], ['admin-keys']].map((queryKey) => cache.invalidateQueries({ queryKey })))
          announce(`“${revoking.name}” is revoked. It works for at most 2 seconds more.`, 'good')
        }}
      >
        <p>It works for at most 2 seconds more. After that every request with it is refused with 401{alsoStops}. This cannot be undone.</p>
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
    </>
  )
}

/** Shows when a key was used last. Herald knows only the hour, so the beginning and the end of this hour are shown. */
function HourOf({ at }: { at: string }) {
  return (
    <span className="sm:whitespace-nowrap">
      <Time at={at} /> to{' '}
      {new Date(Date.parse(at) + 3_600_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}
    </span>
  )
}
