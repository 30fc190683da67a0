import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useApp, useAppId } from '../../session/useAppId.ts'
import { useSystem } from '../../session/useSystem.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Page } from '../../ui/Page.tsx'
import { ArriveStep } from './ArriveStep.tsx'
import { BackendStep } from './BackendStep.tsx'
import { DeviceStep } from './DeviceStep.tsx'
import { KeysStep } from './KeysStep.tsx'
import { newKeysQuery } from './new-keys.ts'
import { SendStep } from './SendStep.tsx'
import { Step } from './Step.tsx'
import { useProgress } from './useProgress.ts'

/** Shows the five first steps of an app. A step is ticked when Herald has what the step makes. */
export function StartPage() {
  const appId = useAppId()
  const app = useApp()
  const system = useSystem()
  const { way: chosenWay, deviceId: chosenId } = useSearch({ from: '/apps/$appId/start' })
  // Where providers are simulated a virtual phone gets the first push without a question of the browser.
  const way = chosenWay ?? (system.data?.simulator === true ? 'phone' : 'browser')
  const { data: keys } = useQuery(newKeysQuery(appId))
  const { device, deviceError, owner, push, isBackendReady, knownPublicKey } = useProgress(appId, chosenId)
  const publicKey = keys?.publicKey ?? knownPublicKey
  const [text, setText] = useState({ title: 'Hello from Herald', body: 'Your first push has arrived.' })

  const baseUrl = system.data?.baseUrl ?? location.origin
  const isSent = push !== undefined
  const isDone = device !== undefined && isSent && isBackendReady
  const name = app.data?.name ?? 'your app'

  return (
    <Page
      title="Get started"
      lead={`Five steps to the first push of ${name}. You can stop at any step; finished steps are checked off automatically.`}
      guide="quickstart"
      actions={
        <ButtonLink to="/apps/$appId/overview" params={{ appId }} variant="quiet">
          Go to the overview
        </ButtonLink>
      }
    >
      {isDone && (
        <Banner
          kind="info"
          action={
            <ButtonLink to="/apps/$appId/compose" params={{ appId }} variant="primary" small>
              Compose a notification
            </ButtonLink>
          }
        >
          All five steps are done: {name} has a device, has sent to it, and its backend has used its key.
        </Banner>
      )}
      <ol>
        <Step number={1} title="Name the app" done={app.data !== undefined} note={app.data?.name}>
          <KeysStep appId={appId} baseUrl={baseUrl} keys={keys} publicKey={publicKey} />
        </Step>
        <Step number={2} title="Choose a first device" done={device !== undefined}>
          <DeviceStep
            appId={appId}
            baseUrl={baseUrl}
            publicKey={publicKey}
            way={way}
            isSimulated={system.data?.simulator === true}
            hasDevice={device !== undefined}
          />
        </Step>
        <Step number={3} title="Check that the device is registered" done={device !== undefined}>
          {deviceError !== null && <ErrorNote error={deviceError} />}
          <ArriveStep appId={appId} device={device} owner={owner} />
        </Step>
        <Step number={4} title="Send and see it arrive" done={isSent}>
          <SendStep
            appId={appId}
            deviceId={device?.id}
            push={push}
            isVirtual={way === 'phone'}
            text={{ ...text, set: (some) => setText({ ...text, ...some }) }}
          />
        </Step>
        <Step number={5} title="From your backend" done={isBackendReady}>
          <BackendStep baseUrl={baseUrl} deviceId={device?.id} {...text} />
        </Step>
      </ol>
    </Page>
  )
}
