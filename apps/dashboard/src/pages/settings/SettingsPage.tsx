import { api } from '../../api/client.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { DeleteApp } from './DeleteApp.tsx'
import { IdentitySettings } from './IdentitySettings.tsx'
import { SettingsForm } from './SettingsForm.tsx'

/** Shows the settings of an app (time zone, frequency cap, quiet hours, approval, inbox, conversions, hold-out, identity verification) and the button that deletes the app. */
export function SettingsPage() {
  const appId = useAppId()
  const query = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}',
    { params: { path: { appId } } },
    // The page does not read the settings again when its window gets the focus, so that they do not change while the operator edits them.
    { refetchOnWindowFocus: false },
  )
  return (
    <Page title="Settings" lead="Settings for everything this app sends. Changes take effect within 2 seconds." guide="campaigns">
      <Loaded query={query} skeleton={<Skeleton lines={10} />}>
        {(app) => (
          <div className="flex max-w-3xl flex-col gap-4">
            <SettingsForm key={app.id} app={app} />
            <IdentitySettings app={app} />
            <DeleteApp app={app} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
