// Stands for the classes of Flutter that its plugin names (https://api.flutter.dev/ios-embedder/protocol_flutter_plugin-p.html). Nothing here does
// anything.
import Foundation

public typealias FlutterResult = (Any?) -> Void

public protocol FlutterBinaryMessenger {}

public final class FlutterMethodCall: NSObject {
  public let method = ""
  public let arguments: Any? = nil
}

public final class FlutterError: NSObject {
  public init(code: String, message: String?, details: Any?) {}
}

public final class FlutterMethodChannel: NSObject {
  public init(name: String, binaryMessenger: FlutterBinaryMessenger) {}

  public func invokeMethod(_ method: String, arguments: Any?) {}
}

public protocol FlutterPlugin: NSObjectProtocol {
  static func register(with registrar: FlutterPluginRegistrar)
  func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult)
}

public protocol FlutterPluginRegistrar {
  func messenger() -> FlutterBinaryMessenger
  func addMethodCallDelegate(_ delegate: FlutterPlugin, channel: FlutterMethodChannel)
  func addApplicationDelegate(_ delegate: FlutterPlugin)
}
