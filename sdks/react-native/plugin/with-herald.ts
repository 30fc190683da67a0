// The config plugin for Expo: what `npx expo prebuild` changes in the native projects, so that nobody edits them by hand
// (https://docs.expo.dev/config-plugins/introduction/).
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AndroidConfig,
  createRunOncePlugin,
  withAndroidManifest,
  withAppDelegate,
  withDangerousMod,
  withEntitlementsPlist,
  withInfoPlist,
  withXcodeProject,
  type ConfigPlugin,
} from '@expo/config-plugins'
import manifest from '../package.json' with { type: 'json' }

export type Options = {
  /** The address of Herald and a public key of the app, for the extension, which runs before any JavaScript. */
  baseUrl: string
  appKey: string
  /** The app group that app and extension share; by default `group.<bundle identifier>`. */
  appGroup?: string
  /** Apple's environment. Archives for TestFlight and the store are signed with `production` by Xcode. */
  environment?: 'development' | 'production'
  /** False leaves the notification service extension out: then no picture is loaded, and delivered is reported only while the app is open. */
  extension?: boolean
  /** True lets Firebase give the id of its installation in place of a registration token, in the whole app. */
  firebaseInstallationIds?: boolean
}

export const target = 'HeraldNotificationService'
const deploymentTarget = '15.1'

const withEntitlements: ConfigPlugin<Required<Options>> = (config, { environment, appGroup }) =>
  withEntitlementsPlist(config, (changed) => {
    changed.modResults['aps-environment'] ??= environment
    const key = 'com.apple.security.application-groups'
    const groups = (changed.modResults[key] ?? []) as string[]
    changed.modResults[key] = [...new Set([...groups, appGroup])]
    return changed
  })

/** Adds to the app's delegate what a push needs: the start, before the launch ends, the two answers of Apple about the address, and recalls. */
export function changedDelegate(swift: string): string {
  if (swift.includes('import HeraldReactNative')) return swift
  const launch = /didFinishLaunchingWithOptions launchOptions:[^{]*\{\n/
  const launched = /return super\.application\(application, didFinishLaunchingWithOptions: launchOptions\)\n {2}\}\n/
  if (!launch.test(swift) || !launched.test(swift))
    throw new Error(
      '@herald/react-native: AppDelegate.swift has another form than that of Expo. Add the calls of HeraldPushes by hand, as its README says.',
    )
  const methods = `
  public override func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
    HeraldPushes.shared.registered(deviceToken)
    super.application(application, didRegisterForRemoteNotificationsWithDeviceToken: deviceToken)
  }

  public override func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error) {
    HeraldPushes.shared.failed(error)
    super.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
  }

  public override func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    HeraldPushes.shared.received(userInfo) { isOurs in
      if isOurs { return completionHandler(.newData) }
      super.application(application, didReceiveRemoteNotification: userInfo, fetchCompletionHandler: completionHandler)
    }
  }
`
  return `import HeraldReactNative\n${swift}`
    .replace(launch, (found) => `${found}    HeraldPushes.shared.begin()\n`)
    .replace(launched, (found) => `${found}${methods}`)
}

const withDelegate: ConfigPlugin = (config) =>
  withAppDelegate(config, (changed) => {
    if (changed.modResults.language !== 'swift')
      throw new Error('@herald/react-native needs an AppDelegate in Swift, as Expo has it from SDK 53 on.')
    changed.modResults.contents = changedDelegate(changed.modResults.contents)
    return changed
  })

/**
 * Lets iOS wake the app for a background push, with which a recall removes a notification
 * (https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app).
 */
const withBackgroundPushes: ConfigPlugin = (config) =>
  withInfoPlist(config, (changed) => {
    const modes = changed.modResults.UIBackgroundModes ?? []
    changed.modResults.UIBackgroundModes = [...new Set([...modes, 'remote-notification'])]
    return changed
  })

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const plist = (entries: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${entries}
</dict>
</plist>
`

/** Writes the files of the notification service extension into the iOS project. */
const withExtensionFiles: ConfigPlugin<Required<Options>> = (config, { baseUrl, appKey, appGroup }) =>
  withDangerousMod(config, [
    'ios',
    (changed) => {
      const folder = join(changed.modRequest.platformProjectRoot, target)
      mkdirSync(folder, { recursive: true })
      for (const file of ['Herald.swift', 'NotificationService.swift']) cpSync(pathOf(file), join(folder, file))
      const texts = {
        CFBundleDisplayName: target,
        CFBundleExecutable: '$(EXECUTABLE_NAME)',
        CFBundleIdentifier: '$(PRODUCT_BUNDLE_IDENTIFIER)',
        CFBundleName: '$(PRODUCT_NAME)',
        CFBundlePackageType: 'XPC!',
        CFBundleShortVersionString: changed.version ?? '1.0.0',
        CFBundleVersion: changed.ios?.buildNumber ?? '1',
        HeraldBaseUrl: baseUrl,
        HeraldAppKey: appKey,
        HeraldGroup: appGroup,
      }
      const lines = Object.entries(texts).map(([key, text]) => `  <key>${key}</key>\n  <string>${xml(text)}</string>`)
      const extension = `  <key>NSExtension</key>
  <dict>
    <key>NSExtensionPointIdentifier</key>
    <string>com.apple.usernotifications.service</string>
    <key>NSExtensionPrincipalClass</key>
    <string>$(PRODUCT_MODULE_NAME).NotificationService</string>
  </dict>`
      writeFileSync(join(folder, 'Info.plist'), plist([...lines, extension].join('\n')))
      const groups = `  <key>com.apple.security.application-groups</key>\n  <array>\n    <string>${xml(appGroup)}</string>\n  </array>`
      writeFileSync(join(folder, `${target}.entitlements`), plist(groups))
      return changed
    },
  ])

/** Finds a Swift file beside the built plugin, or in this repository. */
function pathOf(file: string): string {
  const places = ['ios', 'extension', '../../swift'].map((folder) => join(import.meta.dirname, folder, file))
  return places.find((place) => existsSync(place)) ?? file
}

/** Adds the extension to the Xcode project, as a target of its own. */
const withExtensionTarget: ConfigPlugin = (config) =>
  withXcodeProject(config, (changed) => {
    const project = changed.modResults
    // The library writes the names of targets that it has added with quotes.
    if (project.pbxTargetByName(target) ?? project.pbxTargetByName(`"${target}"`)) return changed
    const { objects } = project.hash.project
    // A project with one target has no such sections, and the library does not make them.
    objects['PBXTargetDependency'] ??= {}
    objects['PBXContainerItemProxy'] ??= {}
    const sources = ['Herald.swift', 'NotificationService.swift']
    const group = project.addPbxGroup([...sources, 'Info.plist', `${target}.entitlements`], target, target)
    project.addToPbxGroup(group.uuid, project.getFirstProject().firstProject.mainGroup)
    const added = project.addTarget(target, 'app_extension', target, `${changed.ios?.bundleIdentifier}.${target}`)
    project.addBuildPhase(sources, 'PBXSourcesBuildPhase', 'Sources', added.uuid)
    project.addBuildPhase([], 'PBXResourcesBuildPhase', 'Resources', added.uuid)
    project.addBuildPhase([], 'PBXFrameworksBuildPhase', 'Frameworks', added.uuid)
    for (const { buildSettings } of Object.values<{ buildSettings?: Record<string, string> }>(project.pbxXCBuildConfigurationSection())) {
      if (buildSettings?.['PRODUCT_NAME'] !== `"${target}"`) continue
      Object.assign(buildSettings, {
        CODE_SIGN_ENTITLEMENTS: `${target}/${target}.entitlements`,
        CODE_SIGN_STYLE: 'Automatic',
        INFOPLIST_FILE: `${target}/Info.plist`,
        IPHONEOS_DEPLOYMENT_TARGET: deploymentTarget,
        SWIFT_VERSION: '5.0',
        TARGETED_DEVICE_FAMILY: '"1,2"',
      })
    }
    return changed
  })

const withInstallationIds: ConfigPlugin = (config) =>
  withAndroidManifest(config, (changed) => {
    const application = AndroidConfig.Manifest.getMainApplicationOrThrow(changed.modResults)
    AndroidConfig.Manifest.addMetaDataItemToMainApplication(application, 'firebase_messaging_installation_id_enabled', 'true')
    return changed
  })

/** The plugin `["@herald/react-native", {baseUrl, appKey}]` of app.json. */
const withHerald: ConfigPlugin<Options> = (config, given) => {
  for (const name of ['baseUrl', 'appKey'] as const)
    if (typeof given?.[name] !== 'string') throw new Error(`@herald/react-native: the plugin needs ${name}, as its README says.`)
  const options = {
    appGroup: `group.${config.ios?.bundleIdentifier ?? 'herald'}`,
    environment: 'development',
    extension: true,
    firebaseInstallationIds: false,
    ...given,
  } as const
  let changed = withBackgroundPushes(withDelegate(withEntitlements(config, options)))
  if (options.extension) changed = withExtensionTarget(withExtensionFiles(changed, options))
  return options.firebaseInstallationIds ? withInstallationIds(changed) : changed
}

export default createRunOncePlugin(withHerald, manifest.name, manifest.version)
