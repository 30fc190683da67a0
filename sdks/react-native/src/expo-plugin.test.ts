import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileModsAsync } from '@expo/config-plugins'
import { expect, onTestFinished, test } from 'vitest'
import withHerald, { changedDelegate, target, type Options } from '../plugin/with-herald.ts'

const delegate = `import Expo

@main
class AppDelegate: ExpoAppDelegate {
  public override func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool {
    let delegate = ReactNativeDelegate()
    return super.application(application, didFinishLaunchingWithOptions: launchOptions)
  }

  public override func application(_ app: UIApplication, open url: URL) -> Bool {
    return super.application(app, open: url)
  }
}
`

const configuration = (id: string, name: string) =>
  `		${id} = { isa = XCBuildConfiguration; buildSettings = { PRODUCT_NAME = Shop; }; name = ${name}; };`
const list = (id: string, members: string) =>
  `		${id} = { isa = XCConfigurationList; buildConfigurations = (${members}, ); defaultConfigurationIsVisible = 0; defaultConfigurationName = Release; };`
/** A project with one target, in the form in which Xcode writes it. */
const project = `// !$*UTF8*$!
{
	archiveVersion = 1;
	classes = {
	};
	objectVersion = 46;
	objects = {
/* Begin PBXBuildFile section */
		A0000000000000000000000D /* AppDelegate.swift in Sources */ = { isa = PBXBuildFile; fileRef = A00000000000000000000001 /* AppDelegate.swift */; };
/* End PBXBuildFile section */
/* Begin PBXFileReference section */
		A00000000000000000000001 /* AppDelegate.swift */ = { isa = PBXFileReference; lastKnownFileType = sourcecode.swift; name = AppDelegate.swift; path = Shop/AppDelegate.swift; sourceTree = "<group>"; };
		A00000000000000000000002 /* Shop.app */ = { isa = PBXFileReference; explicitFileType = wrapper.application; path = Shop.app; sourceTree = BUILT_PRODUCTS_DIR; };
/* End PBXFileReference section */
/* Begin PBXGroup section */
		A00000000000000000000003 = { isa = PBXGroup; children = (A00000000000000000000004, A00000000000000000000005, ); sourceTree = "<group>"; };
		A00000000000000000000004 /* Shop */ = { isa = PBXGroup; children = (A00000000000000000000001 /* AppDelegate.swift */, ); name = Shop; sourceTree = "<group>"; };
		A00000000000000000000005 /* Products */ = { isa = PBXGroup; children = (A00000000000000000000002 /* Shop.app */, ); name = Products; sourceTree = "<group>"; };
/* End PBXGroup section */
/* Begin PBXNativeTarget section */
		A00000000000000000000006 /* Shop */ = { isa = PBXNativeTarget; buildConfigurationList = A00000000000000000000007; buildPhases = (A00000000000000000000008, ); buildRules = ( ); dependencies = ( ); name = Shop; productName = Shop; productReference = A00000000000000000000002; productType = "com.apple.product-type.application"; };
/* End PBXNativeTarget section */
/* Begin PBXProject section */
		A00000000000000000000009 /* Project object */ = { isa = PBXProject; attributes = { LastUpgradeCheck = 1130; }; buildConfigurationList = A0000000000000000000000A; compatibilityVersion = "Xcode 3.2"; mainGroup = A00000000000000000000003; productRefGroup = A00000000000000000000005 /* Products */; projectDirPath = ""; projectRoot = ""; targets = (A00000000000000000000006 /* Shop */, ); };
/* End PBXProject section */
/* Begin PBXSourcesBuildPhase section */
		A00000000000000000000008 /* Sources */ = { isa = PBXSourcesBuildPhase; buildActionMask = 2147483647; files = (A0000000000000000000000D /* AppDelegate.swift in Sources */, ); runOnlyForDeploymentPostprocessing = 0; };
/* End PBXSourcesBuildPhase section */
/* Begin XCBuildConfiguration section */
${configuration('A0000000000000000000000B', 'Debug')}
${configuration('A0000000000000000000000C', 'Release')}
/* End XCBuildConfiguration section */
/* Begin XCConfigurationList section */
${list('A00000000000000000000007', 'A0000000000000000000000B /* Debug */, A0000000000000000000000C /* Release */')}
${list('A0000000000000000000000A', 'A0000000000000000000000B /* Debug */, A0000000000000000000000C /* Release */')}
/* End XCConfigurationList section */
	};
	rootObject = A00000000000000000000009 /* Project object */;
}
`
const plist = '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>'
const manifest =
  '<manifest xmlns:android="http://schemas.android.com/apk/res/android"><application android:name=".MainApplication"/></manifest>'

/** Makes the native projects of an app as `expo prebuild` does, and gives a function that reads a file of them. */
async function prebuilt(options: Partial<Options> = {}, times = 1) {
  const root = mkdtempSync(join(tmpdir(), 'herald-expo-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  write('package.json', '{"name":"shop"}')
  write('ios/Shop.xcodeproj/project.pbxproj', project)
  write('ios/Shop/AppDelegate.swift', delegate)
  write('ios/Shop/Info.plist', plist)
  write('ios/Shop/Shop.entitlements', plist)
  write('android/app/src/main/AndroidManifest.xml', manifest)
  for (let time = 0; time < times; time += 1) {
    const config = {
      name: 'Shop',
      slug: 'shop',
      version: '4.2.0',
      ios: { bundleIdentifier: 'com.example.shop' },
      _internal: { projectRoot: root },
    }
    const changed = withHerald(config, { baseUrl: 'https://push.example.com', appKey: 'pk_live_x', ...options })
    await compileModsAsync(changed, { projectRoot: root, platforms: ['ios', 'android'] })
  }
  return { root, read: (file: string) => readFileSync(join(root, file), 'utf8') }
}

test('Expo’s prebuild adds the capability, app group, app delegate’s calls, and the extension with its files', async () => {
  const { read } = await prebuilt()
  expect(read('ios/Shop/Shop.entitlements')).toMatch(/aps-environment<\/key>\s*<string>development/)
  expect(read('ios/Shop/Shop.entitlements')).toContain('group.com.example.shop')
  const swift = read('ios/Shop/AppDelegate.swift')
  expect(swift).toMatch(/-> Bool \{\n {4}HeraldPushes\.shared\.begin\(\)\n {4}let delegate/)
  expect(swift).toContain('HeraldPushes.shared.registered(deviceToken)')
  expect(swift).toContain('HeraldPushes.shared.received(userInfo)')
  expect(read('ios/Shop/Info.plist')).toMatch(/UIBackgroundModes<\/key>\s*<array>\s*<string>remote-notification/)
  const info = read(`ios/${target}/Info.plist`)
  for (const text of ['https://push.example.com', 'pk_live_x', 'group.com.example.shop', '4.2.0', 'com.apple.usernotifications.service'])
    expect(info).toContain(`<string>${text}</string>`)
  expect(read(`ios/${target}/${target}.entitlements`)).toContain('group.com.example.shop')
  expect(read(`ios/${target}/Herald.swift`)).toContain('public actor Herald')
  const xcode = read('ios/Shop.xcodeproj/project.pbxproj')
  expect(xcode).toContain('com.apple.product-type.app-extension')
  for (const file of ['Herald', 'NotificationService']) expect(xcode).toContain(`/* "${file}.swift" in Sources */,`)
  expect(xcode.match(new RegExp(`INFOPLIST_FILE = "?${target}/Info.plist`, 'g'))).toHaveLength(2)
  expect(read('android/app/src/main/AndroidManifest.xml')).not.toContain('installation_id')
})

test('a second prebuild changes nothing more', async () => {
  const [once, twice] = [await prebuilt(), await prebuilt({}, 2)]
  for (const file of ['ios/Shop/AppDelegate.swift', 'ios/Shop/Shop.entitlements', `ios/${target}/Info.plist`])
    expect(twice.read(file)).toBe(once.read(file))
  const targets = (text: string) => text.match(/isa = PBXNativeTarget/g)?.length
  expect(targets(twice.read('ios/Shop.xcodeproj/project.pbxproj'))).toBe(2)
})

test('an app can leave the extension out and let Firebase give installation ids', async () => {
  const { root, read } = await prebuilt({ extension: false, firebaseInstallationIds: true })
  expect(existsSync(join(root, 'ios', target))).toBe(false)
  expect(read('ios/Shop.xcodeproj/project.pbxproj')).not.toContain('app-extension')
  expect(read('android/app/src/main/AndroidManifest.xml')).toContain('firebase_messaging_installation_id_enabled')
})

test('an app delegate of another form and missing options are refused with what to do', () => {
  expect(() => changedDelegate('class AppDelegate {}')).toThrow('by hand')
  expect(() => withHerald({ name: 'Shop', slug: 'shop' }, {} as Options)).toThrow('needs baseUrl')
})
