// Stands for the classes of UIKit that the SDK names, so that a compiler on Linux can check it and run it.
@_exported import Foundation
@_exported import FoundationNetworking

@MainActor
public final class UIDevice {
  public static let current = UIDevice()
  /// One phone for each state of the program that the test runs.
  public var identifierForVendor: UUID? { UUID(uuidString: "11111111-2222-3333-4444-555555555555") }
}

@MainActor
public protocol UIApplicationDelegate: AnyObject {}

@MainActor
public final class UIApplication {
  public static let shared = UIApplication()

  public func registerForRemoteNotifications() {}
}

public enum UIBackgroundFetchResult {
  case newData, noData
}
