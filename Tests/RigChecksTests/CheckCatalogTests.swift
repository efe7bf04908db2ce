import RigChecks
import RigFlow
import RigModel
import Testing

/// What every check of the catalogue must be.
@Suite struct CheckCatalogTests {
  @Test func idsAreUniqueAndWellFormed() {
    let infos = CheckCatalog.wireInfos
    #expect(Set(infos.map(\.id)).count == infos.count)
    for info in infos {
      #expect(info.id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "." || $0 == "-" }, "\(info.id)")
      #expect(info.id.contains("."))
      #expect(info.rule.hasSuffix("."))
      #expect(!info.reference.isEmpty)
    }
  }

  /// What a fault promises to trip, or is proven by, is a check that there is.
  @Test func faultsNameChecksOfTheCatalogue() {
    let ids = Set((CheckCatalog.infos + FlowCheckCatalog.infos).map(\.id))
    for fault in FaultCatalog.all {
      var named = fault.trips
      if case .finding(let checks) = fault.proof { named += checks }
      for check in named { #expect(ids.contains(check), "\(fault.id) names \(check)") }
    }
  }

  @Test func theCatalogueIsComplete() {
    let ids = Set(CheckCatalog.infos.map(\.id))
    let wanted: Set = [
      "rtsp.line.crlf", "rtsp.header.fold", "rtsp.cseq.present", "rtsp.cseq.echo", "rtsp.response.single",
      "rtsp.content-length.exact", "rtsp.content-base.absolute", "rtsp.public.truthful", "rtsp.options.star",
      "rtsp.status.state", "rtsp.redirect.sane", "rtsp.auth.challenge", "rtsp.auth.stale", "rtsp.url.no-credentials",
      "sdp.mandatory", "sdp.o.syntax", "sdp.c.syntax", "sdp.m.syntax", "sdp.rtpmap.dynamic", "sdp.fmtp.pt",
      "sdp.control", "sdp.h264.sprop", "sdp.h265.sprop", "sdp.aac.params", "sdp.text", "transport.present",
      "transport.echo", "transport.server-port.used", "transport.interleaved.any", "transport.ssrc.match",
      "framing.channel.assigned", "framing.intact", "session.id.stable", "session.keepalive", "session.expiry",
      "session.teardown", "play.rtp-info", "rtp.version-padding-ext", "rtp.pt.known", "rtp.ssrc.stable", "rtp.seq",
      "rtp.initial.random", "rtp.size.mtu", "rtp.payload.empty", "rtcp.sr.present", "rtcp.compound", "rtcp.length",
      "rtcp.sr.counts", "rtcp.sr.mapping", "rtcp.bye", "h264.marker.au-end", "h264.fu", "h264.stap", "h264.mode",
      "h264.no-startcode", "h265.packets", "aac.au-headers", "timing.clock-rate", "timing.monotonic",
      "timing.av-sync", "media.decodable", "media.gap", "media.gop", "media.bitrate", "media.quality-factor",
    ]
    #expect(wanted.count == 65)
    #expect(wanted.subtracting(ids).isEmpty, "\(wanted.subtracting(ids))")
    #expect(ids.subtracting(wanted) == ["transport.syntax", "h265.marker.au-end"])
  }

  @Test func everyCheckHasAPage() {
    for info in CheckCatalog.infos {
      guard let page = CheckGuide.page(info.id) else {
        Issue.record("\(info.id) has no page")
        continue
      }
      #expect(page.trips.hasSuffix("."), "\(info.id)")
      #expect(page.displayFilter.isEmpty == CheckCatalog.acrossRuns.contains(info), "\(info.id)")
    }
    #expect(CheckGuide.page("flow.order") == nil)
    #expect(CheckCatalog.infos.count == 67)
  }

  @Test func findingsAggregateAndStayBounded() {
    let check = PayloadTypeCheck.info
    var log = FindingLog(settings: [:], file: "a.pcapng")
    for frame in 1...10 {
      log.note(check, "a", at: Evidence(frame: frame), message: "first \(frame)")
    }
    #expect(log.all.count == 1)
    #expect(log.all[0].message == "first 1")
    #expect(log.all[0].count == 10)
    #expect(log.all[0].first.frame == 1)
    #expect(log.all[0].last?.frame == 10)
    #expect(log.all[0].first.file == "a.pcapng")
    for subject in 0..<1000 { log.note(check, "b", subject: subject, at: Evidence(), message: "") }
    #expect(log.all.count == FindingLog.perCheckLimit)
    #expect(log.all.map(\.count).reduce(0, +) == 1010)
  }
}
