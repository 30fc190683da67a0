import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { platformNames } from '@herald/contracts/platform'
import { client, dataOf } from '../../api/client.ts'
import type { ContentDraft } from '../../core/content-draft.ts'
import type { Person } from '../../core/person.ts'
import type { OptionsDraft } from '../../core/send-options-draft.ts'
import { testAsOwner, testOnScreen } from '../../core/test-body.ts'
import { Button } from '../Button.tsx'
import { Choice } from '../Choice.tsx'
import { ErrorNote } from '../ErrorNote.tsx'
import { Loaded } from '../Loaded.tsx'
import { announce } from '../Announcer.tsx'
import { Combobox } from '../Combobox.tsx'
import { TestDeviceRow, type TestDevice } from './TestDeviceRow.tsx'
import { useRefusals } from './useRefusals.ts'
import { useTestSend } from './useTestSend.ts'

/** The language, the user and the app's time zone on screen. A test "as on screen" sends the text filled in with them. */
type OnScreen = { locale: string; person: Person; zone: string }

/** Sends a message to the chosen test devices, at most 20. Each row then shows the outcome on its device, with the provider's answer. */
export function TestSend({
  appId,
  content,
  options,
  screen,
}: {
  appId: string
  content: ContentDraft
  options: OptionsDraft
  screen: OnScreen
}) {
  const query = useQuery({
    queryKey: ['test-devices', appId],
    queryFn: async ({ signal }) =>
      dataOf(await client.GET('/v1/admin/apps/{appId}/test-devices', { params: { path: { appId }, query: { limit: 100 } }, signal })).items,
    staleTime: 10_000,
  })
  const [left, setLeft] = useState<readonly string[]>([])
  const [as, setAs] = useState<'screen' | 'owner'>('screen')
  const test = useTestSend(appId)
  const [problem, setProblem] = useState<string>()
  const waits = ({ id }: TestDevice) => test.isUnderWay && test.asked.includes(id) && !test.results.has(id)
  const refusals = useRefusals(
    appId,
    (query.data ?? []).filter(waits).map(({ platform }) => platform),
  )

  const chosen = (devices: readonly TestDevice[]) => devices.filter(({ id }) => !left.includes(id)).slice(0, mostTested)
  const send = (devices: readonly TestDevice[]) => {
    const about = { name: 'Test', zone: screen.zone, now: new Date() }
    const fields = as === 'owner' ? testAsOwner(content, options) : testOnScreen(content, screen.locale, screen.person, options, about)
    setProblem(fields === undefined ? 'Title and text are empty for the person on screen.' : undefined)
    if (fields !== undefined)
      void test.send(
        chosen(devices).map(({ id }) => id),
        fields,
      )
  }

  return (
    <Loaded query={query}>
      {(devices) => (
        <div className="flex flex-col gap-4">
          {devices.length === 0 && <p className="text-muted">This app has no test devices yet. Any registered device can be one.</p>}
          {devices.length > 0 && (
            <Choice
              legend={<span className="sr-only">What is tested</span>}
              value={as}
              onChange={setAs}
              options={[
                { value: 'screen', label: 'As previewed', hint: `In ${screen.locale}, for ${screen.person.name}` },
                { value: 'owner', label: 'Personalized for each test user', hint: 'In the owner’s language, with the owner’s values' },
              ]}
            />
          )}
          <ul className="flex flex-col divide-y divide-line">
            {devices.map((device) => (
              <TestDeviceRow
                key={device.id}
                device={device}
                isChosen={!left.includes(device.id)}
                onChoose={(isChosen) => setLeft(isChosen ? left.filter((id) => id !== device.id) : [...left, device.id])}
                result={test.results.get(device.id)}
                isWaiting={waits(device)}
                refusal={waits(device) ? refusals.get(device.platform) : undefined}
              />
            ))}
          </ul>
          {problem !== undefined && <p className="text-bad">{problem}</p>}
          {test.error !== undefined && <ErrorNote error={test.error} />}
          <div className="flex flex-wrap items-end justify-between gap-3">
            <AddTestDevice appId={appId} />
            {devices.length > 0 && (
              <Button busy={test.isUnderWay} disabled={chosen(devices).length === 0} onClick={() => send(devices)}>
                Send a test to {chosen(devices).length} {chosen(devices).length === 1 ? 'device' : 'devices'}
              </Button>
            )}
          </div>
        </div>
      )}
    </Loaded>
  )
}

const mostTested = 20

/** Lets the operator mark a device as a test device: find a user by the beginning of an external id, and choose one of the user's devices. */
function AddTestDevice({ appId }: { appId: string }) {
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>()
  const load = async (q: string, signal: AbortSignal) => {
    const query = q.trim() === '' ? { limit: 8 } : { q: q.trim(), limit: 8 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query }, signal })
    const people = await Promise.all(
      (data?.items ?? []).map(({ id }) => client.GET('/v1/admin/apps/{appId}/users/{id}', { params: { path: { appId, id } }, signal })),
    )
    return people.flatMap(({ data: person }) =>
      (person?.subscriptions ?? [])
        .filter((device) => device.invalidatedAt === null)
        .map((device) => ({
          value: device.id,
          label: `${person?.externalId ?? person?.id ?? ''}, ${platformNames[device.platform]}`,
          hint: device.test ? 'is one already' : (device.deviceModel ?? device.browser ?? undefined),
        })),
    )
  }
  const add = async (id: string) => {
    setError(undefined)
    try {
      await client.PATCH('/v1/admin/apps/{appId}/subscriptions/{id}', { params: { path: { appId, id } }, body: { test: true } })
      announce('It is a test device now.')
      await queries.invalidateQueries({ queryKey: ['test-devices', appId] })
    } catch (fault) {
      setError(fault)
    }
  }
  return (
    <div className="flex w-64 max-w-full flex-col gap-2">
      <Combobox label="Add a test device" placeholder="Add a test device" value={undefined} load={load} onChange={(id) => void add(id)} />
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  )
}
