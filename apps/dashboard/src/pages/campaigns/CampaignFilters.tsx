import { platformNames, platforms } from '@herald/contracts/platform'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useSession } from '../../session/session.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Chip } from '../../ui/Chip.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { statusWords } from '../../core/campaign-result.ts'
import { tidy } from '../../core/search.ts'
import { Select } from '../../ui/Select.tsx'
import { audienceKinds, campaignSorts, campaignStatuses, type CampaignsSearch } from '../search.ts'

const times = [
  [undefined, 'Any time'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
] as const

const sorts = [
  { value: '', label: 'Newest first' },
  { value: 'sent', label: 'Most sent' },
  { value: 'failed', label: 'Most failed' },
  { value: 'opened', label: 'Highest open rate' },
  { value: 'clicked', label: 'Highest click rate' },
]

const audiences = {
  everyone: 'Everyone',
  segment: 'A segment',
  remainder: 'A/B test winner',
  reached: 'Recalls',
  people: 'Specific users or devices',
} as const
/** At most this many operators of the page are offered. */
const mostAuthors = 6

type Props = {
  search: CampaignsSearch
  onChange: (search: CampaignsSearch, replace?: boolean) => void
  /** The operators who made the campaigns of the page. */
  authors: readonly string[]
  children?: ReactNode
}

/**
 * Shows the filters of the list of campaigns: a part of the name, for which it is searched 300 ms after the last key, chips for status, audience,
 * platform, operator and time, and the order of the page.
 */
export function CampaignFilters({ search, onChange, authors, children }: Props) {
  const [name, setName] = useState(search.q ?? '')
  const input = useRef<HTMLInputElement>(null)
  useShortcut('/', () => input.current?.focus(), 'Filter the list')

  useEffect(() => {
    if (name === (search.q ?? '')) return
    const timer = setTimeout(() => {
      const { q: _, cursor: __, ...rest } = search
      onChange(name === '' ? rest : { ...rest, q: name }, true)
    }, 300)
    return () => clearTimeout(timer)
  }, [name, search, onChange])

  const { name: self } = useSession()
  const toggle = <Key extends keyof CampaignsSearch>(key: Key, value: CampaignsSearch[Key]) =>
    onChange(tidy({ ...search, [key]: value === search[key] ? undefined : value, cursor: undefined }))
  const offered = [...new Set([self, ...(search.author === undefined ? [] : [search.author]), ...authors])].slice(0, mostAuthors)
  return (
    <form className="flex flex-col gap-3" role="search" aria-label="Filter the list" onSubmit={(event) => event.preventDefault()}>
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          ref={input}
          type="search"
          aria-label="Name contains"
          placeholder="Name contains"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          className="max-w-xs"
        />
        {children}
      </div>
      <Chips label="Status">
        <Chip on={search.status === undefined} onClick={() => toggle('status', undefined)}>
          All
        </Chip>
        {campaignStatuses.map((status) => (
          <Chip key={status} on={search.status === status} onClick={() => toggle('status', status)}>
            {statusWords[status]}
          </Chip>
        ))}
      </Chips>
      {search.test !== true && (
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          <Chips label="Audience">
            {audienceKinds
              .filter((kind) => kind !== (search.transactional ? 'remainder' : 'people'))
              .map((kind) => (
                <Chip key={kind} on={search.audience === kind} onClick={() => toggle('audience', kind)}>
                  {audiences[kind]}
                </Chip>
              ))}
          </Chips>
          <Chips label="Platform">
            {platforms.map((platform) => (
              <Chip key={platform} on={search.platform === platform} onClick={() => toggle('platform', platform)}>
                {platformNames[platform]}
              </Chip>
            ))}
          </Chips>
          {search.transactional !== true && (
            <Chips label="Created by">
              {offered.map((author) => (
                <Chip key={author} on={search.author === author} onClick={() => toggle('author', author)}>
                  {author === self ? 'Me' : author}
                </Chip>
              ))}
            </Chips>
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Chips label="Created">
          {times.map(([days, words]) => (
            <Chip key={words} on={search.days === days} onClick={() => onChange(tidy({ ...search, days, cursor: undefined }))}>
              {words}
            </Chip>
          ))}
        </Chips>
        <label className="flex items-center gap-2 text-sm text-muted">
          Sort this page by
          <Select
            options={sorts}
            value={search.sort ?? ''}
            onChange={({ target }) => onChange(tidy({ ...search, sort: campaignSorts.find((sort) => sort === target.value) }))}
          />
        </label>
      </div>
    </form>
  )
}

/** A group of chips behind the word that names it. */
const Chips = ({ label, children }: { label: string; children: ReactNode }) => (
  <div role="group" aria-label={label} className="flex flex-wrap items-center gap-1.5">
    <span className="text-sm text-muted" aria-hidden>
      {label}
    </span>
    {children}
  </div>
)
