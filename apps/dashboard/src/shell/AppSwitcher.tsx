import { useNavigate } from '@tanstack/react-router'
import { useApp } from '../session/useAppId.ts'
import { Combobox } from '../ui/Combobox.tsx'
import { findApps } from './app-choice.ts'

const load = async (query: string, signal: AbortSignal) => [
  ...(await findApps(query, signal)).map(({ id, name }) => ({ value: id, label: name })),
  ...(query === '' ? [{ value: all, label: 'All apps, or a new one' }] : []),
]
const all = 'all'

/** Shows the current app and switches to another one. Up to five apps that were opened last are at the top. */
export function AppSwitcher({ appId }: { appId: string }) {
  const navigate = useNavigate()
  const { data: app } = useApp()
  return (
    <Combobox
      label="App"
      value={appId}
      valueLabel={app?.name ?? 'Loading'}
      load={load}
      onChange={(id) => void (id === all ? navigate({ to: '/' }) : navigate({ to: '/apps/$appId/overview', params: { appId: id } }))}
    />
  )
}
