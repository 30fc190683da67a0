import Flutter
import UIKit

/// Herald for Flutter (https://docs.flutter.dev/platform-integration/platform-channels).
public class HeraldPlugin: NSObject, FlutterPlugin {
  private let channel: FlutterMethodChannel

  init(_ channel: FlutterMethodChannel) {
    self.channel = channel
  }

  public static func register(with registrar: FlutterPluginRegistrar) {
    let channel = FlutterMethodChannel(name: "dev.herald/herald", binaryMessenger: registrar.messenger())
    let plugin = HeraldPlugin(channel)
    registrar.addMethodCallDelegate(plugin, channel: channel)
    registrar.addApplicationDelegate(plugin)
    DispatchQueue.main.async { HeraldPushes.shared.begin() }
  }

  public func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult) {
    let given = call.arguments as? [String: Any] ?? [:]
    Task { @MainActor in
      if call.method == "listen" {
        HeraldPushes.shared.listen { [weak self] event, about in self?.channel.invokeMethod(event, arguments: about) }
        return result(nil)
      }
      HeraldPushes.shared.call(call.method, given: given) { answer, code, message, status in
        result(code.map { FlutterError(code: $0, message: message, details: status) } ?? answer)
      }
    }
  }

  public func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
    Task { @MainActor in HeraldPushes.shared.registered(deviceToken) }
  }

  public func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error) {
    Task { @MainActor in HeraldPushes.shared.failed(error) }
  }

  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) -> Bool {
    guard (userInfo["herald"] as? [String: Any])?["dismiss"] is String else { return false }
    Task { @MainActor in HeraldPushes.shared.received(userInfo) { _ in completionHandler(.newData) } }
    return true
  }
}
