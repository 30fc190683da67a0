// Stands for the classes of UserNotifications that the SDK names. Nothing here shows anything; categories are kept.
import Foundation

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

open class UNNotificationContent: NSObject {
  public var title = ""
  public var body = ""
  public var userInfo: [AnyHashable: Any] = [:]
  public var attachments: [UNNotificationAttachment] = []
  public var categoryIdentifier = ""

  open override func mutableCopy() -> Any {
    let copy = UNMutableNotificationContent()
    (copy.title, copy.body, copy.userInfo, copy.categoryIdentifier) = (title, body, userInfo, categoryIdentifier)
    return copy
  }
}

open class UNMutableNotificationContent: UNNotificationContent {}

open class UNNotificationAttachment: NSObject {
  public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {}
}

public final class UNNotificationRequest: NSObject {
  public let content = UNNotificationContent()
  public override init() {}
}

public final class UNNotification: NSObject {
  public let request = UNNotificationRequest()
  public override init() {}
}

public final class UNNotificationResponse: NSObject {
  public let notification = UNNotification()
  public var actionIdentifier = ""
  public override init() {}
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let foreground = UNNotificationActionOptions(rawValue: 4)
}

public final class UNNotificationAction: NSObject {
  public let identifier: String
  public let title: String

  public init(identifier: String, title: String, options: UNNotificationActionOptions = []) { (self.identifier, self.title) = (identifier, title) }
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1)
}

public final class UNNotificationCategory: NSObject {
  public let identifier: String
  public let actions: [UNNotificationAction]
  public let options: UNNotificationCategoryOptions

  public init(identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String], options: UNNotificationCategoryOptions = []) {
    (self.identifier, self.actions, self.options) = (identifier, actions, options)
  }
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = UNAuthorizationOptions(rawValue: 1)
  public static let sound = UNAuthorizationOptions(rawValue: 2)
  public static let alert = UNAuthorizationOptions(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = UNNotificationPresentationOptions(rawValue: 1)
  public static let sound = UNNotificationPresentationOptions(rawValue: 2)
  public static let list = UNNotificationPresentationOptions(rawValue: 8)
  public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

/// On Apple's systems both functions are optional, and a call of one is an optional value.
@MainActor
public protocol UNUserNotificationCenterDelegate: AnyObject {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse, withCompletionHandler completionHandler: @escaping () -> Void)
}

public final class UNUserNotificationCenter {
  private nonisolated(unsafe) static let only = UNUserNotificationCenter()
  public weak var delegate: UNUserNotificationCenterDelegate?
  private var categories: Set<UNNotificationCategory> = []

  public func notificationCategories() async -> Set<UNNotificationCategory> { categories }

  public func setNotificationCategories(_ given: Set<UNNotificationCategory>) { categories = given }

  public static func current() -> UNUserNotificationCenter { only }

  public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}

  public func requestAuthorization(options: UNAuthorizationOptions) async throws -> Bool { true }
}

open class UNNotificationServiceExtension: NSObject {
  public override init() {}

  open func didReceive(_ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void) {}
}
