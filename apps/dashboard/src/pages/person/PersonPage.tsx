import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { queryClient } from '../../api/queryClient.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import type { Person } from './answers.ts'
import { Devices } from './Devices.tsx'
import { Identity } from './Identity.tsx'
import { InboxOfPerson } from './InboxOfPerson.tsx'
import { Preferences } from './Preferences.tsx'
import { Pushes } from './Pushes.tsx'
import { TagsEditor } from './TagsEditor.tsx'

/** Shows one user: identity, tags, categories, devices, inbox, and the pushes. */
export function PersonPage() {
  const appId = useAppId()
  const { userId } = useParams({ from: '/apps/$appId/people/$userId' })
  const { device } = useSearch({ from: '/apps/$appId/people/$userId' })
  const person = api.useQuery('get', '/v1/admin/apps/{appId}/users/{id}', { params: { path: { appId, id: userId } } })
  const isGone = person.isError && faultOf(person.error).status === 404
  const changed = (): void => void person.refetch()
  return (
    <Page
      title={person.data?.externalId ?? (person.data === undefined ? 'Person' : 'Anonymous')}
      guide="identity"
      actions={person.data !== undefined && !isGone && <Actions person={person.data} />}
    >
      {isGone ? (
        <Empty
          title="Nobody has this id"
          action={
            <ButtonLink to="/apps/$appId/people" params={{ appId }}>
              Find somebody
            </ButtonLink>
          }
        >
          The person may have been erased, or belongs to another app.
        </Empty>
      ) : (
        <Loaded query={person}>
          {(data) => (
            <div className="flex flex-col gap-5">
              <div className="grid items-start gap-5 lg:grid-cols-2">
                <Identity person={data} onChanged={changed} />
                <TagsEditor key={`${data.id} ${JSON.stringify(data.tags)}`} person={data} onChanged={changed} />
              </div>
              <Preferences person={data} onChanged={changed} />
              <Devices person={data} onChanged={changed} />
              <InboxOfPerson userId={data.id} />
              <Pushes person={data} device={device} />
            </div>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function Actions({ person: { id, externalId } }: { person: Person }) {
  const appId = useAppId()
  const navigate = useNavigate()
  const [isErasing, setErasing] = useState(false)
  const erase = async (): Promise<void> => {
    await client.DELETE('/v1/admin/apps/{appId}/users/{id}', { params: { path: { appId, id } } })
    queryClient.removeQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/users/{id}', { params: { path: { appId, id } } }] })
    await queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/users'] })
    announce('The person is erased')
    await navigate({ to: '/apps/$appId/people', params: { appId } })
  }
  return (
    <>
      <a href={`/v1/admin/apps/${appId}/users/${id}/export`} download={`${fileName(externalId ?? id)}.jsonl`} className={buttonClass({})}>
        <Download size={14} aria-hidden />
        Export as JSON
      </a>
      <ButtonLink to="/apps/$appId/explain" params={{ appId }} search={{ userId: id }}>
        Did this user get a campaign?
      </ButtonLink>
      <Button onClick={() => setErasing(true)}>Erase</Button>
      <Confirm
        open={isErasing}
        onClose={() => setErasing(false)}
        title="Erase this person?"
        action="Erase permanently"
        danger
        typed={externalId ?? id}
        onConfirm={erase}
      >
        <p>
          The user, all devices and tags go at once, and their data in stored webhooks is erased. Counters of campaigns stay as they are. A
          device comes back as somebody new when its app registers it again. This cannot be undone.
        </p>
      </Confirm>
    </>
  )
}

const fileName = (id: string): string => id.replaceAll(/[^\w.@-]+/g, '_').slice(0, 80)
