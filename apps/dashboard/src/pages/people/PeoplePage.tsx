import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../ui/Page.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Imports } from './Imports.tsx'
import { PeopleList } from './PeopleList.tsx'

const tabs = [
  { value: 'people', label: 'People' },
  { value: 'imports', label: 'Imports' },
] as const

/** Shows the users of an app, or its imports. */
export function PeoplePage() {
  const { tab } = useSearch({ from: '/apps/$appId/people' })
  const navigate = useNavigate({ from: '/apps/$appId/people' })
  return (
    <Page title="People" lead="Users with their devices. Newest first." guide={tab === 'imports' ? 'import' : 'identity'}>
      <Tabs
        label="What is shown"
        value={tab ?? 'people'}
        onChange={(value) => void navigate({ search: value === 'imports' ? { tab: 'imports' } : {} })}
        items={tabs}
      />
      {tab === 'imports' ? <Imports /> : <PeopleList />}
    </Page>
  )
}
