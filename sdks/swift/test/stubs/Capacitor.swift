// Stands for the classes of Capacitor that its plugin names, with the signatures of 8.5 (ionic-team/capacitor, ios/Capacitor). Nothing here does anything.
import Foundation

public protocol JSValue {}
extension String: JSValue {}

public let CAPPluginReturnPromise = "promise"

public final class CAPPluginMethod {
  public init(name: String, returnType: String) {}
}

public protocol CAPBridgedPlugin {
  var identifier: String { get }
  var jsName: String { get }
  var pluginMethods: [CAPPluginMethod] { get }
}

open class CAPPlugin: NSObject {
  open func load() {}

  public func notifyListeners(_ eventName: String, data: [String: Any]?, retainUntilConsumed: Bool) {}
}

public final class CAPPluginCall: NSObject {
  public func getString(_ key: String) -> String? { nil }

  public func getObject(_ key: String) -> [String: JSValue]? { nil }

  public func resolve() {}

  public func resolve(_ data: [String: Any]) {}

  public func reject(_ message: String, _ code: String? = nil, _ error: Error? = nil, _ data: [String: Any]? = nil) {}
}

extension Notification.Name {
  public static let capacitorDidRegisterForRemoteNotifications = Notification.Name("CapacitorDidRegisterForRemoteNotifications")
  public static let capacitorDidFailToRegisterForRemoteNotifications = Notification.Name("CapacitorDidFailToRegisterForRemoteNotifications")
}
