import { useNavigate, useSearch } from '@tanstack/react-router'
import { keepPreviousData } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useAppId } from '../../session/useAppId.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { Time } from '../../ui/Time.tsx'
import { FindByAddress } from './FindByAddress.tsx'
import { PeopleFilters } from './PeopleFilters.tsx'

type Summary = components['schemas']['ListUsersOfAppAnswer']['items'][number]

const from = '/apps/$appId/people'
const perPage = 50
/** The list is searched this long after the last key. */
const settledMs = 250

/**
 * Shows the users of the app, page by page. The search text and the cursor are in the address, so that Back leads to the previous page of the list.
 */
export function PeopleList() {
  const appId = useAppId()
  const { q, cursor, segmentId, tag, tagValue } = useSearch({ from })
  const navigate = useNavigate({ from })
  const [isFinding, setFinding] = useState(false)
  const query = {
    limit: perPage,
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(segmentId === undefined ? {} : { segmentId }),
    ...(tag === undefined ? {} : { tag }),
    ...(tag === undefined || tagValue === undefined ? {} : { tagValue }),
  }
  const people = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/users',
    { params: { path: { appId }, query } },
    { placeholderData: keepPreviousData },
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField q={q} />
        <Button icon={<KeyRound size={14} aria-hidden />} onClick={() => setFinding(true)}>
          Find by token
        </Button>
        <Total />
        {tag === undefined && (
          <a
            href={`/v1/admin/apps/${appId}/users/export${segmentId === undefined ? '' : `?segmentId=${segmentId}`}`}
            download="people.jsonl"
            className={buttonClass({ variant: 'quiet' })}
          >
            {segmentId === undefined ? 'Export all (JSON)' : 'Export segment (JSON)'}
          </a>
        )}
      </div>
      <PeopleFilters appId={appId} search={{ q, segmentId, tag, tagValue }} />
      <Loaded
        query={people}
        isEmpty={({ items }) => items.length === 0}
        empty={<Nobody q={q} isLaterPage={cursor !== undefined} isFiltered={segmentId !== undefined || tag !== undefined} />}
      >
        {({ items, nextCursor }) => (
          <div className="flex flex-col gap-3">
            <PeopleTable people={items} />
            <div className="flex flex-wrap justify-center gap-2">
              {cursor !== undefined && (
                <Button onClick={() => void navigate({ search: (now) => ({ ...now, cursor: undefined }) })}>First page</Button>
              )}
              {nextCursor !== null && (
                <Button onClick={() => void navigate({ search: (now) => ({ ...now, cursor: nextCursor }) })}>Next page</Button>
              )}
            </div>
          </div>
        )}
      </Loaded>
      {isFinding && <FindByAddress onClose={() => setFinding(false)} />}
    </div>
  )
}

function SearchField({ q }: { q: string | undefined }) {
  const navigate = useNavigate({ from })
  const [text, setText] = useState(q ?? '')
  const field = useRef<HTMLInputElement>(null)
  const asked = useRef(q ?? '')
  useShortcut('/', () => field.current?.focus(), 'Search people')

  // The address changes by Back, by links, and by typing in this field. Only an address that this field did not write replaces the text.
  useEffect(() => {
    if ((q ?? '') === asked.current) return
    asked.current = q ?? ''
    setText(q ?? '')
  }, [q])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === asked.current) return undefined
    const timer = setTimeout(() => {
      asked.current = wanted
      void navigate({
        search: ({ segmentId, tag, tagValue }) => ({ segmentId, tag, tagValue, q: wanted === '' ? undefined : wanted }),
        replace: true,
      })
    }, settledMs)
    return () => clearTimeout(timer)
  }, [text, navigate])

  return (
    <TextInput
      ref={field}
      type="search"
      aria-label="Search people"
      placeholder="Beginning of an external id, or a whole user or device id"
      value={text}
      onChange={(event) => setText(event.target.value)}
      maxLength={128}
      spellCheck={false}
      className="max-w-md"
    />
  )
}

/**
 * Shows the number of users, and when Herald counted them: the number may be older than the page, because Herald counts an app's users at most every
 * 30 s.
 */
function Total() {
  const appId = useAppId()
  const tags = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/tags',
    { params: { path: { appId }, query: { limit: 1 } } },
    { staleTime: 60_000 },
  )
  if (tags.data === undefined) return null
  const { users, exact, asOf } = tags.data
  return (
    <p className="text-sm text-muted">
      {exact ? '' : 'about '}
      <Count value={users} /> {users === 1 ? 'person' : 'people'} in all, as of <Time at={asOf} />
    </p>
  )
}

function Nobody({ q, isLaterPage, isFiltered }: { q: string | undefined; isLaterPage: boolean; isFiltered: boolean }) {
  const appId = useAppId()
  if (q !== undefined)
    return (
      <Empty drawing="found" title={`No results for “${q}”`}>
        The search matches the start of an external id (case-sensitive). Other ids must be complete.
      </Empty>
    )
  if (isLaterPage) return <Empty title="The list ends here" />
  if (isFiltered)
    return (
      <Empty drawing="found" title="No results">
        Only people with a reachable device are shown.
      </Empty>
    )
  return (
    <Empty
      title="No people yet"
      action={
        <>
          <ButtonLink to="/apps/$appId/start" params={{ appId }} variant="primary">
            Register a first device
          </ButtonLink>
          <ButtonLink to="/apps/$appId/people" params={{ appId }} search={{ tab: 'imports' }}>
            Import devices
          </ButtonLink>
        </>
      }
    >
      A person appears here with their first device: an SDK registers it, or an import brings it.
    </Empty>
  )
}

function PeopleTable({ people }: { people: readonly Summary[] }) {
  const appId = useAppId()
  return (
    <Table
      caption="People"
      rows={people}
      rowKey={({ id }) => id}
      rowHref={({ id }) => `/apps/${appId}/people/${id}`}
      columns={[
        {
          key: 'person',
          label: 'Person',
          cell: ({ externalId, id }) =>
            externalId === null ? (
              <>
                <span className="text-muted">anonymous</span> <span className="font-mono text-xs">{id}</span>
              </>
            ) : (
              <span className="font-medium break-all">{externalId}</span>
            ),
        },
        { key: 'devices', label: 'Devices', cell: devicesOf },
        { key: 'reachable', label: 'Reachable', align: 'right', cell: ({ reachable }) => <Count value={reachable} /> },
        { key: 'language', label: 'Language', cell: ({ language }) => language ?? '–' },
        {
          key: 'zone',
          label: 'Zone',
          cell: ({ timezone, country }) => [timezone, country].filter((one) => one !== null).join(', ') || '–',
        },
        { key: 'active', label: 'Last active', cell: ({ lastActiveAt }) => <Time at={lastActiveAt} /> },
        { key: 'since', label: 'First seen', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}

function devicesOf({ devices: { ios, android, web } }: Summary) {
  const some = [ios > 0 ? `${ios} iOS` : '', android > 0 ? `${android} Android` : '', web > 0 ? `${web} web` : ''].filter(
    (part) => part !== '',
  )
  return some.length === 0 ? <span className="text-muted">none</span> : some.join(', ')
}
