// A server or a client of gRPC or of plain HTTP/2, for tests of the balancer. README.md of this folder says what it is told and what it prints.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func main() {
	args := os.Args[2:]
	switch os.Args[1] {
	case "serve":
		serve()
	case "call":
		call(args[0], args[1], args[2])
	case "serve-http":
		serveHTTP(args...)
	case "call-http":
		callHTTP(args[0])
	default:
		panic("expected serve, call, serve-http or call-http, got " + os.Args[1])
	}
}

// codec has messages of gRPC as they are: bytes.
type codec struct{}

func (codec) Name() string { return "bytes" }

func (codec) Marshal(value any) ([]byte, error) { return *value.(*[]byte), nil }

func (codec) Unmarshal(data []byte, value any) error {
	*value.(*[]byte) = bytes.Clone(data)
	return nil
}

var service = grpc.ServiceDesc{
	ServiceName: "test.Test",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{
		{MethodName: "Unary", Handler: unaryHandler(unary)},
		{MethodName: "Fail", Handler: unaryHandler(fail)},
		{MethodName: "Wait", Handler: unaryHandler(wait)},
	},
	Streams: []grpc.StreamDesc{
		{StreamName: "Down", Handler: down, ServerStreams: true},
		{StreamName: "Up", Handler: up, ClientStreams: true},
		{StreamName: "Both", Handler: both, ServerStreams: true, ClientStreams: true},
	},
}

type answer func(context.Context, []byte) ([]byte, error)

func unaryHandler(answer answer) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request []byte
		if err := decode(&request); err != nil {
			return nil, err
		}
		message, err := answer(ctx, request)
		return &message, err
	}
}

func serve() {
	listener := listen()
	server := grpc.NewServer(grpc.ForceServerCodec(codec{}))
	server.RegisterService(&service, nil)
	check(server.Serve(listener))
}

// listen says at which port the program serves.
func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	return listener
}

func unary(ctx context.Context, request []byte) ([]byte, error) {
	given, _ := metadata.FromIncomingContext(ctx)
	deadline, known := ctx.Deadline()
	left := time.Until(deadline)
	grpc.SetHeader(ctx, metadata.Pairs("x-leading", first(given, "x-given")))
	grpc.SetTrailer(ctx, metadata.Pairs(
		"x-trailing", first(given, "x-given"),
		"x-trailing-bin", first(given, "x-given-bin"),
		"x-deadline", strconv.FormatBool(known && left > 0 && left <= time.Minute),
	))
	return request, nil
}

func fail(ctx context.Context, _ []byte) ([]byte, error) {
	given, _ := metadata.FromIncomingContext(ctx)
	var wanted spb.Status
	check(proto.Unmarshal([]byte(first(given, "x-status-bin")), &wanted))
	return nil, status.ErrorProto(&wanted)
}

func wait(ctx context.Context, _ []byte) ([]byte, error) {
	<-ctx.Done()
	fmt.Println("cancelled")
	return nil, status.FromContextError(ctx.Err()).Err()
}

func down(_ any, stream grpc.ServerStream) error {
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	count, err := strconv.Atoi(string(request))
	check(err)
	for at := range count {
		message := bytes.Repeat([]byte{byte(at)}, 1000)
		if err := stream.SendMsg(&message); err != nil {
			return err
		}
	}
	return nil
}

func up(_ any, stream grpc.ServerStream) error {
	total := 0
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			sum := []byte(strconv.Itoa(total))
			return stream.SendMsg(&sum)
		}
		if err != nil {
			return err
		}
		total += len(message)
	}
}

func both(_ any, stream grpc.ServerStream) error {
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.SendMsg(&message); err != nil {
			return err
		}
	}
}

func connect(port string) *grpc.ClientConn {
	connection, err := grpc.NewClient("127.0.0.1:"+port,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{})))
	check(err)
	return connection
}

func call(port, failure, statusHex string) {
	connection := connect(port)
	wanted, err := hex.DecodeString(statusHex)
	check(err)
	print(map[string]any{
		"unary":    callUnary(connection),
		"down":     callDown(connection),
		"up":       callUp(connection),
		"both":     callBoth(connection),
		"fail":     callFail(connection, failure, wanted),
		"deadline": callWait(connection),
	})
}

func callUnary(connection *grpc.ClientConn) any {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "x-given", "with it", "x-given-bin", "\x00\xff")
	var leading, trailing metadata.MD
	message, err := invoke(ctx, connection, "Unary", "hello", grpc.Header(&leading), grpc.Trailer(&trailing))
	check(err)
	return map[string]any{
		"answer":      message,
		"leading":     first(leading, "x-leading"),
		"trailing":    first(trailing, "x-trailing"),
		"trailingBin": hex.EncodeToString([]byte(first(trailing, "x-trailing-bin"))),
		"deadline":    first(trailing, "x-deadline"),
	}
}

func callDown(connection *grpc.ClientConn) any {
	stream, err := connection.NewStream(context.Background(), &service.Streams[0], "/test.Test/Down")
	check(err)
	request := []byte("200")
	check(stream.SendMsg(&request))
	check(stream.CloseSend())
	messages := []string{}
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return messages
		}
		check(err)
		messages = append(messages, fmt.Sprint(len(message), " of ", message[0]))
	}
}

func callUp(connection *grpc.ClientConn) any {
	stream, err := connection.NewStream(context.Background(), &service.Streams[1], "/test.Test/Up")
	check(err)
	message := make([]byte, 1000)
	for range 200 {
		check(stream.SendMsg(&message))
	}
	check(stream.CloseSend())
	check(stream.RecvMsg(&message))
	return string(message)
}

func callBoth(connection *grpc.ClientConn) any {
	stream, err := connection.NewStream(context.Background(), &service.Streams[2], "/test.Test/Both")
	check(err)
	said := []string{}
	for round := range 20 {
		message := []byte(fmt.Sprint("round ", round))
		check(stream.SendMsg(&message))
		check(stream.RecvMsg(&message))
		said = append(said, string(message))
	}
	check(stream.CloseSend())
	var none []byte
	if err := stream.RecvMsg(&none); err != io.EOF {
		panic(fmt.Sprint("expected the end of the stream, got ", err))
	}
	return said
}

func callFail(connection *grpc.ClientConn, failure string, wanted []byte) any {
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-status-bin", string(wanted))
	_, err := invoke(ctx, connection, "Fail", failure)
	failed := status.Convert(err)
	whole, err := proto.Marshal(failed.Proto())
	check(err)
	return map[string]any{"code": failed.Code(), "message": failed.Message(), "details": hex.EncodeToString(whole)}
}

func callWait(connection *grpc.ClientConn) any {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := invoke(ctx, connection, "Wait", "")
	return status.Code(err)
}

func invoke(ctx context.Context, connection *grpc.ClientConn, method, request string, options ...grpc.CallOption) (string, error) {
	message := []byte(request)
	var answer []byte
	err := connection.Invoke(ctx, "/test.Test/"+method, &message, &answer, options...)
	return string(answer), err
}

func serveHTTP(certificate ...string) {
	listener := listen()
	server := http.Server{Handler: http.HandlerFunc(echo), Protocols: protocols()}
	if len(certificate) == 2 {
		check(server.ServeTLS(listener, certificate[0], certificate[1]))
	}
	check(server.Serve(listener))
}

// protocols are HTTP/2 alone, with TLS or without.
func protocols() *http.Protocols {
	var chosen http.Protocols
	chosen.SetHTTP2(true)
	chosen.SetUnencryptedHTTP2(true)
	return &chosen
}

func echo(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Trailer", "X-Length, X-Given-Trailer")
	response.Header().Set("X-Request", fmt.Sprint(request.Method, " ", request.URL.Path, " ", request.Proto))
	length, err := io.Copy(response, request.Body)
	check(err)
	response.Header().Set("X-Length", strconv.FormatInt(length, 10))
	response.Header().Set("X-Given-Trailer", request.Trailer.Get("X-Given"))
}

func callHTTP(url string) {
	client := http.Client{Transport: &http.Transport{
		Protocols: protocols(),
		// The certificate of the tests is signed by itself.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	results := []any{}
	for _, body := range []string{"", strings.Repeat("0123456789", 50_000)} {
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		request, err := http.NewRequest(method, url+"/path", strings.NewReader(body))
		check(err)
		if body != "" {
			// Its length is not told, as of a body with trailers.
			request.ContentLength = -1
			request.Trailer = http.Header{"X-Given": {"behind it"}}
		}
		response, err := client.Do(request)
		check(err)
		answer, err := io.ReadAll(response.Body)
		check(err)
		results = append(results, map[string]any{
			"status":   response.StatusCode,
			"protocol": response.Proto,
			"request":  response.Header.Get("X-Request"),
			"same":     string(answer) == body,
			"length":   response.Trailer.Get("X-Length"),
			"trailer":  response.Trailer.Get("X-Given-Trailer"),
		})
	}
	print(results)
}

func first(values metadata.MD, name string) string {
	return append(values.Get(name), "")[0]
}

func print(value any) {
	text, err := json.Marshal(value)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
