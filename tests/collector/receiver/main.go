// SPDX-License-Identifier: Apache-2.0

// The OTLP receiver of the OpenTelemetry Collector, without the rest of it.
//
//	receiver DIRECTORY GRPC-ADDRESS HTTP-ADDRESS
//
// Writes each request to DIRECTORY/N.json, N = 1, 2, …, as the Collector's library
// converts it to JSON, and to DIRECTORY/N.otlp, as its exporters send it.  A number
// that has a file is not used again.  Prints READY when it accepts connections.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/xreceiver"
	"go.opentelemetry.io/otel/metric/noop"
	tracing "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
)

type host struct{}

func (host) GetExtensions() map[component.ID]component.Component { return nil }

type store struct {
	mutex     sync.Mutex
	directory string
	count     int
}

// write makes a file that is complete when it has its name.
func (s *store) write(extension string, bytes []byte) error {
	path := filepath.Join(s.directory, fmt.Sprintf("%d.%s", s.count, extension))
	if err := os.WriteFile(path+".new", bytes, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (s *store) consume(_ context.Context, profiles pprofile.Profiles) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// The JSON marshaler replaces strings by references to the dictionary.
	wire, err := pprofileotlp.NewExportRequestFromProfiles(profiles).MarshalProto()
	if err != nil {
		return err
	}
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(profiles)
	if err != nil {
		return err
	}
	for s.count++; ; s.count++ {
		_, err := os.Stat(filepath.Join(s.directory, fmt.Sprintf("%d.json", s.count)))
		if os.IsNotExist(err) {
			break
		}
	}
	if err := s.write("otlp", wire); err != nil {
		return err
	}
	return s.write("json", text)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: receiver DIRECTORY GRPC-ADDRESS HTTP-ADDRESS")
	}
	factory := otlpreceiver.NewFactory().(xreceiver.Factory)
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.GRPC.GetOrInsertDefault().NetAddr.Endpoint = os.Args[2]
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = os.Args[3]
	settings := receiver.Settings{
		ID: component.NewID(factory.Type()),
		TelemetrySettings: component.TelemetrySettings{
			Logger:         zap.NewNop(),
			TracerProvider: tracing.NewTracerProvider(),
			MeterProvider:  noop.NewMeterProvider(),
			Resource:       pcommon.NewResource(),
		},
		BuildInfo: component.NewDefaultBuildInfo(),
	}
	next, err := xconsumer.NewProfiles((&store{directory: os.Args[1]}).consume)
	if err != nil {
		log.Fatal(err)
	}
	running, err := factory.CreateProfiles(context.Background(), settings, config, next)
	if err == nil {
		err = running.Start(context.Background(), host{})
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("READY")
	select {}
}
