import { platformNames } from '@herald/contracts/platform'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { stateOfDevice } from '../../core/device-state.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Section } from '../../ui/Section.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { nameOfDevice, type Device, type Person } from './answers.ts'
import { TestSendDialog } from './TestSendDialog.tsx'

type Asked = { what: 'test' | 'opt_out' | 'opt_in' | 'remove'; device: Device }

/** Shows the devices of a user, each with its state and the reason, and the actions for it. */
export function Devices({ person, onChanged }: { person: Person; onChanged: () => void }) {
  const appId = useAppId()
  const [asked, setAsked] = useState<Asked>()
  const close = (): void => setAsked(undefined)

  const patch = async (device: Device, changes: { optedIn?: boolean; test?: boolean }, said: string): Promise<void> => {
    await client.PATCH('/v1/admin/apps/{appId}/subscriptions/{id}', { params: { path: { appId, id: device.id } }, body: changes })
    announce(said)
    onChanged()
  }
  const mark = (device: Device): void =>
    void patch(device, { test: !device.test }, device.test ? 'No longer a test device' : 'Marked as a test device').catch(
      (error: unknown) => announce(faultOf(error).message, 'bad'),
    )
  const remove = async (device: Device): Promise<void> => {
    await client.DELETE('/v1/admin/apps/{appId}/subscriptions/{id}', { params: { path: { appId, id: device.id } } })
    announce('The device is removed')
    onChanged()
  }

  return (
    <Section title={`Devices (${person.subscriptions.length})`}>
      {person.subscriptions.length === 0 ? (
        <Empty title="No device">Devices appear here when the SDK registers them, or when the person logs in on one.</Empty>
      ) : (
        <Table
          caption="Devices"
          rows={person.subscriptions}
          rowKey={({ id }) => id}
          columns={[
            { key: 'device', label: 'Device', cell: (device) => <NameOf device={device} /> },
            { key: 'state', label: 'State', cell: (device) => <StateOf device={device} person={person} /> },
            { key: 'version', label: 'App and system', cell: versionsOf },
            {
              key: 'seen',
              label: 'Sessions',
              cell: ({ sessionCount, lastSessionAt }) => (
                <>
                  <span className="tabular-nums">{sessionCount}</span>
                  {lastSessionAt !== null && (
                    <span className="block text-sm text-muted">
                      last <Time at={lastSessionAt} />
                    </span>
                  )}
                </>
              ),
            },
            {
              key: 'do',
              label: <HiddenLabel text="Actions" />,
              align: 'right',
              cell: (device) => (
                <span className="flex justify-end gap-1">
                  <Button needed="send" small onClick={() => setAsked({ what: 'test', device })}>
                    Test send
                  </Button>
                  <Menu
                    label={`More for ${nameOfDevice(device)}`}
                    items={[
                      { label: device.test ? 'Remove as test device' : 'Mark as test device', onSelect: () => mark(device) },
                      device.optedIn
                        ? { label: 'Opt out', onSelect: () => setAsked({ what: 'opt_out', device }) }
                        : { label: 'Opt in again', onSelect: () => setAsked({ what: 'opt_in', device }) },
                      { label: 'Remove the device', danger: true, onSelect: () => setAsked({ what: 'remove', device }) },
                    ]}
                  />
                </span>
              ),
            },
          ]}
        />
      )}
      {asked?.what === 'test' && <TestSendDialog device={asked.device} onClose={close} />}
      <Confirm
        open={asked?.what === 'opt_out' || asked?.what === 'opt_in'}
        onClose={close}
        title={asked?.what === 'opt_out' ? 'Opt this device out?' : 'Opt this device in again?'}
        action={asked?.what === 'opt_out' ? 'Opt out' : 'Opt in'}
        onConfirm={async () => {
          if (asked !== undefined)
            await patch(asked.device, { optedIn: asked.what === 'opt_in' }, asked.what === 'opt_out' ? 'Opted out' : 'Opted in')
        }}
      >
        {asked?.what === 'opt_out'
          ? 'It gets no pushes, and those queued for it are skipped. Its app opts it in again when it next registers, usually within a week of use.'
          : 'Do this only when the person asked for it: it was switched off on purpose.'}
      </Confirm>
      <Confirm
        open={asked?.what === 'remove'}
        onClose={close}
        title="Remove this device?"
        action="Remove"
        danger
        onConfirm={async () => {
          if (asked !== undefined) await remove(asked.device)
        }}
      >
        No more pushes to this device. It reappears if its app registers it again.
      </Confirm>
    </Section>
  )
}

/**
 * A label for screen readers, positioned within its table cell. A label positioned within the page would make a narrow page wider than the screen.
 */
function HiddenLabel({ text }: { text: string }) {
  return (
    <span className="relative">
      <span className="sr-only">{text}</span>
    </span>
  )
}

function NameOf({ device }: { device: Device }) {
  return (
    <>
      <span className="font-medium">{nameOfDevice(device)}</span>{' '}
      <span className="inline-flex gap-1">
        <Tag>{platformNames[device.platform]}</Tag>
        {device.test && <Tag>Test device</Tag>}
      </span>
      <span className="flex flex-wrap gap-x-3 text-sm text-muted">
        <CopyText text={device.id} label="device id" />
        <span className="font-mono text-xs" title="The beginning of its token or endpoint">
          {device.token ?? device.endpoint}
        </span>
      </span>
    </>
  )
}

function StateOf({ device, person }: { device: Device; person: Person }) {
  const appId = useAppId()
  const state = stateOfDevice(device, person.pushes)
  return (
    <>
      <Status kind={state.kind}>{state.word}</Status>
      {(state.why !== null || state.at !== null) && (
        <span className="mt-0.5 block max-w-[32ch] text-sm text-muted">
          {state.at !== null && (
            <>
              <Time at={state.at} />.{' '}
            </>
          )}
          {state.why}
          {state.campaignId !== null && (
            <>
              {' '}
              <TextLink to="/apps/$appId/explain" params={{ appId }} search={{ campaignId: state.campaignId, subscriptionId: device.id }}>
                Why?
              </TextLink>
            </>
          )}
        </span>
      )}
    </>
  )
}

function versionsOf({ appVersion, osVersion, sdkVersion }: Device) {
  const lines = [appVersion && `App ${appVersion}`, osVersion && `System ${osVersion}`, sdkVersion && `SDK ${sdkVersion}`].filter(Boolean)
  return lines.length === 0 ? (
    <span className="text-muted">unknown</span>
  ) : (
    lines.map((line) => (
      <span key={line} className="block">
        {line}
      </span>
    ))
  )
}
