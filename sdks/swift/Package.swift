// swift-tools-version: 5.9
// An app includes this folder as a package; docs/guide/ios.md says how.
import PackageDescription

let package = Package(
  name: "Herald",
  platforms: [.iOS(.v15)],
  products: [.library(name: "Herald", targets: ["Herald"])],
  targets: [
    .target(name: "Herald", path: ".", exclude: ["README.md", "NotificationService.swift", "test"], sources: ["Herald.swift", "HeraldPushes.swift"])
  ]
)
